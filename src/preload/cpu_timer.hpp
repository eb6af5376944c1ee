// Purpose: samples of a program's processor time. Each thread has a timer on its own processor
// clock, and a function is told where the thread was when it went off. The signal is one that the C
// library keeps from programs; SIGPROF may be the program's own.
#pragma once

#include <cstdint>

#include "unwind/frame_rule.hpp"

namespace mallard::preload {

struct cpu_timer_user {
  // In a signal handler, unless this library was interrupted. The clock went off `times` times
  // since the last signal: the system looks at it at its own pace. Returns: whether the thread
  // keeps its timer.
  bool (*sampled)(const unwind::frame_state& at, std::uint32_t times) noexcept = nullptr;
  // Another in the child of a fork, where no thread has a timer; below 65,536. 0: there is nothing
  // to sample.
  std::uint32_t (*process_number)() noexcept = nullptr;
};

inline constexpr int no_timer = -1;

// Begins anew: threads that have a timer from before get another one. `period_us`: of processor
// time; 0: there are no samples.
void prepare_cpu_timers(const cpu_timer_user& user, std::uint32_t period_us) noexcept;
// Starts the calling thread's timer, if it has none, and returns its number or no_timer. It ends
// with the thread, and is not inherited by fork.
int start_cpu_timer() noexcept;
// Any thread may. The signal's handler stays: a signal may be on its way.
void delete_cpu_timer(int timer) noexcept;
// Takes the signal again where the C library has taken it since. Called now and then.
void keep_cpu_signal() noexcept;

}  // namespace mallard::preload
