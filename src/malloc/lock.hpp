// Purpose: a lock of one word that needs neither set-up nor the C++ runtime. A thread that forks
// holds all locks from one handler of the fork to the next, and may allocate: to it they are open.
#pragma once

#include <atomic>
#include <cstdint>

#include "mallard/detail/config.hpp"
#include "mallard/detail/core/holding.hpp"
#include "mallard/detail/os/futex.hpp"
#include "malloc/slow_path.hpp"

namespace mallard::inline v1::detail {

// After Drepper, "Futexes are tricky", 2011: 0 free, 1 held, 2 held and waited for.
class futex_lock {
 public:
  void lock() noexcept {
    slow_path::enter();
    if (!progress.has_every_lock) acquire();
  }
  // False when it is held, except for a thread to which all locks are open.
  bool try_lock() noexcept {
    slow_path::enter();
    if (progress.has_every_lock || try_acquire()) return true;
    slow_path::leave();
    return false;
  }
  void unlock() noexcept {
    if (!progress.has_every_lock) release();
    slow_path::leave();
  }

  // For fork handlers: the same, whatever the thread is doing.
  void acquire() noexcept {
    if (!try_acquire()) acquire_slow();
  }
  bool try_acquire() noexcept {
    std::uint32_t free = 0;
    return state_.compare_exchange_strong(free, 1, std::memory_order_acquire);
  }
  void release() noexcept {
    if (state_.exchange(0, std::memory_order_release) == 2) os::wake_one(state_);
  }
  // For the child of a fork whose other threads might have waited.
  void reset() noexcept { state_.store(0, std::memory_order_relaxed); }

 private:
  MALLARD_COLD void acquire_slow() noexcept {
    // The guarded work is short: look again some times before sleeping.
    for (int turn = 0; turn < 100; ++turn) {
      std::uint32_t free = 0;
      if (state_.load(std::memory_order_relaxed) == 0 &&
          state_.compare_exchange_weak(free, 1, std::memory_order_acquire)) {
        return;
      }
      os::pause();
    }
    while (state_.exchange(2, std::memory_order_acquire) != 0) os::wait_while(state_, 2);
  }

  std::atomic<std::uint32_t> state_{0};
};

}  // namespace mallard::inline v1::detail
