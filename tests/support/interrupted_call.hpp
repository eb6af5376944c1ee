// A call that stands still before any of its instructions while others go on, as it may whenever
// the scheduler prefers another thread. A breakpoint stops it, so the code under test has no places
// for it.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "support/stepped_threads.hpp"

namespace mallard_test {

using instruction = unsigned char*;

// Needs an x86-64 processor, and no sanitizer.
bool can_interrupt_calls();

// Effects: the thread makes the call, while the processor's trap flag stops it at each instruction.
// Returns: the instructions that it met, of this program, each once.
std::vector<instruction> instructions_of(stepped_threads& threads, std::size_t thread,
                                         const std::function<void()>& call);

// Effects: the thread makes the call. When it comes to the instruction for the `visit`th time, it
// stands still and `meanwhile` runs here; while that waits for what the thread holds, the thread
// goes on. No other thread may run the program's code before.
// Returns: whether it came there so often.
bool run_interrupted(stepped_threads& threads, std::size_t thread, instruction at,
                     std::size_t visit, const std::function<void()>& call,
                     const std::function<void()>& meanwhile);

// The same, but the thread does not stand still: a signal handler runs `in_handler` there, which
// may fork. The thread, of parent and child, then calls `afterwards`.
bool run_with_handler(stepped_threads& threads, std::size_t thread, instruction at,
                      std::size_t visit, const std::function<void()>& call,
                      const std::function<void()>& in_handler,
                      const std::function<void()>& afterwards);

}  // namespace mallard_test
