// Purpose: decides how much free memory may stay with the process.
//
// The policy keeps little, so memory that a program gives up for good goes back at once, without a
// thread that waits for that. If the program takes memory again within a second, that amount is
// regretted: the limit grows by it until five seconds pass without a regret. So a program that
// frees and allocates the same memory in turns pays for it once. Once a second, half of the memory
// that nobody needed in that second goes back, if somebody calls then.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {

// Amounts are in any unit, the same for all calls. Not thread-safe.
class idle_policy {
 public:
  using clock = unsigned long long (*)() noexcept;  // milliseconds
  static constexpr unsigned long long decay_milliseconds = 1000;

  // At least `least` may stay, and never more than `most`.
  explicit constexpr idle_policy(std::size_t least, std::size_t most = SIZE_MAX,
                                 clock milliseconds = os::milliseconds) noexcept
      : now_(milliseconds), least_(least), most_(most) {}

  // The more is in use, the more may be idle.
  std::size_t limit(std::size_t used) noexcept {
    if (regretted_ != 0 && now_() - last_regret_ > remembered_milliseconds) regretted_ = 0;
    return std::min(most_, std::max(least_, used / 8) + regretted_);
  }
  // The amount to keep when there was more than `limit`, or than `most`, which others leave: less
  // than that, so that the next free does not exceed it again. Half, but nearly all where only
  // `most` is exceeded.
  static constexpr std::size_t rest_of(std::size_t limit, std::size_t most) noexcept {
    return limit <= most ? limit / 2 : most - most / 8;
  }
  void set(std::size_t least, std::size_t most) noexcept {
    least_ = std::min(least, SIZE_MAX / 4);  // more is added to it
    most_ = most;
  }

  // `amount` went back and `left` stays. Memory that comes later was not idle before.
  void gave_back(std::size_t amount, std::size_t left) noexcept {
    needed_to_ = std::min(needed_to_, left);
    const unsigned long long now = now_();
    given_back_ = now - last_giving_ > soon_milliseconds ? amount : given_back_ + amount;
    last_giving_ = now;
  }

  // Some of the kept memory was of use; `idle` is left.
  void reused(std::size_t idle) noexcept { needed_to_ = std::min(needed_to_, idle); }
  // The rest would have served as well, so the regret is remembered longer.
  void reused_like_it(std::size_t idle) noexcept {
    reused(idle);
    if (regretted_ != 0) last_regret_ = now_();
  }

  // Memory was taken that must come from the system.
  void took(std::size_t amount) noexcept {
    if (given_back_ == 0) return;
    const unsigned long long now = now_();
    if (now - last_giving_ > soon_milliseconds) {
      given_back_ = 0;
      return;
    }
    const std::size_t again = std::min(amount, given_back_);
    given_back_ -= again;
    regretted_ += again;
    last_regret_ = now;
  }

  // The part of the idle memory that may stay: all of it, less half of what was not needed since
  // the last call that was a second ago.
  std::size_t after_decay(std::size_t idle) noexcept {
    const unsigned long long now = now_();
    if (now - looked_at_ < decay_milliseconds) return idle;
    const bool is_first = looked_at_ == 0;
    looked_at_ = now;
    // Odd amounts lose more than half, so that the last unit goes too.
    const std::size_t surplus = is_first ? 0 : std::min(needed_to_, idle);
    needed_to_ = idle - (surplus - surplus / 2);
    return needed_to_;
  }

 private:
  static constexpr unsigned long long soon_milliseconds = 1000;
  static constexpr unsigned long long remembered_milliseconds = 5000;

  clock now_;
  std::size_t least_;
  std::size_t most_;
  std::size_t given_back_ = 0;  // lately, and not taken again
  std::size_t regretted_ = 0;   // of that, taken again soon
  unsigned long long last_giving_ = 0;
  unsigned long long last_regret_ = 0;
  std::size_t needed_to_ = 0;  // the least that was idle since the last decay
  unsigned long long looked_at_ = 0;
};

}  // namespace mallard::inline v1::detail
