// One repetition in a program of its own, started with a library preloaded: both of its ends.
#pragma once

#include <filesystem>
#include <string_view>

#include "lab/measuring/contender.hpp"
#include "lab/measuring/errand.hpp"
#include "lab/measuring/task.hpp"

namespace mallard::lab {

// Starts `program`, whose main() does what is said below, on the contender's malloc, and waits for
// its answer. A library that is not there or is no malloc, a crash and a timeout are errors in the
// outcome. When a signal interrupts the wait, `interrupted` asks whether to give up.
outcome run_executed(const std::filesystem::path& program, const contender& on, const task& what,
                     const measuring_limits& limits, bool (*interrupted)());

// The one argument that makes a program measure, and where it finds its errand.
inline constexpr std::string_view measuring_word = "--malloc-work";
inline constexpr int measuring_channel = 3;

// Whether these are the arguments of such a process. To be asked first of all, so that the process
// is small and its heap untouched.
bool is_measuring_process(int argc, const char* const* argv);

// Reads the errand, measures, answers and ends. Returns the exit status only when there is none.
int serve_measuring_process();

// The end of such a process when it cannot measure what it was asked to. Answers with the reason
// and ends the process, whichever thread found out and whatever the others do. Nothing is taken
// down: they may still be using it.
[[noreturn]] void give_up(std::string_view why);

}  // namespace mallard::lab
