// Purpose: how much free memory may stay with the process. Little, unless experience shows that
// what was given back is asked for again at once.
//
// Memory that a program gives up for good goes back at once, without a thread that waits for that.
// A program that frees and allocates the same in turns has that seen the first time, and keeps what
// it needed for some seconds.
#pragma once

#include <algorithm>
#include <cstddef>

#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {

// In any unit, the same for all. Not thread-safe.
class idle_policy {
 public:
  explicit constexpr idle_policy(std::size_t least) noexcept : least_(least) {}

  // What is in use makes room for what may be idle.
  std::size_t limit(std::size_t used) noexcept {
    if (regretted_ != 0 && os::milliseconds() - last_regret_ > remembered_milliseconds) {
      regretted_ = 0;
    }
    return std::max(least_, used / 8) + regretted_;
  }
  void set_least(std::size_t least) noexcept { least_ = least; }

  void gave_back(std::size_t amount) noexcept {
    const unsigned long long now = os::milliseconds();
    given_back_ = now - last_giving_ > soon_milliseconds ? amount : given_back_ + amount;
    last_giving_ = now;
  }

  // What was kept was of use.
  void reused() noexcept {
    if (regretted_ != 0) last_regret_ = os::milliseconds();
  }

  // Memory was taken that has to come from the system.
  void took(std::size_t amount) noexcept {
    if (given_back_ == 0) return;
    const unsigned long long now = os::milliseconds();
    if (now - last_giving_ > soon_milliseconds) {
      given_back_ = 0;
      return;
    }
    const std::size_t again = std::min(amount, given_back_);
    given_back_ -= again;
    regretted_ += again;
    last_regret_ = now;
  }

 private:
  static constexpr unsigned long long soon_milliseconds = 1000;
  static constexpr unsigned long long remembered_milliseconds = 5000;

  std::size_t least_;
  std::size_t given_back_ = 0;  // lately, and not taken again
  std::size_t regretted_ = 0;   // of that, taken again soon
  unsigned long long last_giving_ = 0;
  unsigned long long last_regret_ = 0;
};

}  // namespace mallard::inline v1::detail
