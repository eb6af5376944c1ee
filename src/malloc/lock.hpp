// Purpose: a lock of one word that needs neither set-up nor the C++ runtime.
#pragma once

#include <atomic>
#include <cstdint>

#include "mallard/detail/config.hpp"
#include "mallard/detail/os/futex.hpp"

namespace mallard::inline v1::detail {

// After Drepper, "Futexes are tricky", 2011: 0 free, 1 held, 2 held and waited for.
class futex_lock {
 public:
  void lock() noexcept {
    std::uint32_t free = 0;
    if (state_.compare_exchange_strong(free, 1, std::memory_order_acquire)) return;
    lock_slow();
  }
  void unlock() noexcept {
    if (state_.exchange(0, std::memory_order_release) == 2) os::wake_one(state_);
  }
  // In the child of a fork whose other threads might have waited.
  void reset() noexcept { state_.store(0, std::memory_order_relaxed); }

 private:
  MALLARD_COLD void lock_slow() noexcept {
    // What the lock guards is short: look again some times before sleeping.
    for (int turn = 0; turn < 100; ++turn) {
      std::uint32_t free = 0;
      if (state_.load(std::memory_order_relaxed) == 0 &&
          state_.compare_exchange_weak(free, 1, std::memory_order_acquire)) {
        return;
      }
    }
    while (state_.exchange(2, std::memory_order_acquire) != 0) os::wait_while(state_, 2);
  }

  std::atomic<std::uint32_t> state_{0};
};

class [[nodiscard]] holding {
 public:
  explicit holding(futex_lock& lock) noexcept : lock_(lock) { lock_.lock(); }
  ~holding() { lock_.unlock(); }
  holding(const holding&) = delete;
  holding& operator=(const holding&) = delete;

 private:
  futex_lock& lock_;
};

}  // namespace mallard::inline v1::detail
