// Purpose: samples of a program's processor time. Each thread has a timer on its processor clock;
// when it expires, a function gets the interrupted place. The signal is one that the C library
// keeps for itself, because SIGPROF may be the program's own.
#pragma once

#include <cstdint>

#include "unwind/frame_rule.hpp"

namespace mallard::preload {

// One of the two signals that the C library keeps for itself and lets no program block, wait for,
// reset or handle. So whatever a program does with its signals, it neither sees this one nor stops
// it. The library's own use of it is recognised by how it was sent, and passed on. A program that
// resets it by a system call of its own dies of it.
inline constexpr int cpu_signal = 33;  // glibc's SIGSETXID

struct cpu_timer_user {
  // Called in a signal handler, unless this library was interrupted. The clock expired `times`
  // times since the last signal, because the system checks it at its own pace, at its ticks; the
  // first signal of a thread stands for a whole tick. Returns: whether the
  // thread keeps its timer.
  bool (*sampled)(const unwind::frame_state& at, std::uint32_t times) noexcept = nullptr;
  // Differs in the child of a fork, where no thread has a timer; below 65,536. 0: nothing to
  // sample.
  std::uint32_t (*process_number)() noexcept = nullptr;
};

inline constexpr int no_timer = -1;

// Starts over: threads with an old timer get a new one. `period_us`: of processor time; 0: no
// samples.
void prepare_cpu_timers(const cpu_timer_user& user, std::uint32_t period_us) noexcept;
// Starts the calling thread's timer if it has none. Returns: its number, or no_timer. The timer
// ends with the thread and is not inherited by fork.
int start_cpu_timer() noexcept;
// Any thread may call it. The signal's handler stays, because a signal may be pending.
void delete_cpu_timer(int timer) noexcept;
// Call it now and then: takes the signal back if the C library has taken it.
void keep_cpu_signal() noexcept;

}  // namespace mallard::preload
