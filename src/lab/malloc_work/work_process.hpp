// The process that measures a malloc: the command itself, started with the library preloaded.
#pragma once

#include <string_view>

namespace mallard::lab {

// The one argument that makes it such a process, and where it finds its job.
inline constexpr std::string_view malloc_work_word = "--malloc-work";
inline constexpr int malloc_work_channel = 3;

// Whether these are the arguments of such a process. To be asked first of all, so that the process
// is small and its heap untouched.
bool is_malloc_work(int argc, const char* const* argv);

// Reads the job, measures, answers and ends. Returns the exit status only when there is no job.
int serve_malloc_work();

}  // namespace mallard::lab
