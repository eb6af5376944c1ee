// One repetition in a program of its own, started with a library preloaded: both ends of it.
#pragma once

#include <filesystem>
#include <string_view>

#include "lab/measuring/contender.hpp"
#include "lab/measuring/errand.hpp"
#include "lab/measuring/task.hpp"

namespace mallard::lab {

// Starts `program`, whose main() must behave as described below, on the contender's malloc, and
// waits for its answer. A missing library, one that is no malloc, a crash and a timeout are errors
// in the outcome. If a signal interrupts the wait, `interrupted` decides whether to give up.
outcome run_executed(const std::filesystem::path& program, const contender& on, const task& what,
                     const measuring_limits& limits, bool (*interrupted)());

// The argument that makes a program measure, and the descriptor of its errand.
inline constexpr std::string_view measuring_word = "--malloc-work";
inline constexpr int measuring_channel = 3;

// Whether these are the arguments of such a process. Call it first in main(), while the process is
// small and its heap untouched.
bool is_measuring_process(int argc, const char* const* argv);

// Reads the errand, measures, answers and ends the process. Returns the exit status only if there
// is no errand.
int serve_measuring_process();

// Ends such a process if it cannot measure. Answers with the reason and ends the process, whichever
// thread calls it. Nothing is destroyed, because other threads may still use it.
[[noreturn]] void give_up(std::string_view why);

}  // namespace mallard::lab
