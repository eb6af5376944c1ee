// Purpose: how much free memory may stay with the process. Little, unless experience shows that
// what was given back is asked for again at once.
//
// Memory that a program gives up for good goes back at once, without a thread that waits for that.
// A program that frees and allocates the same in turns has that seen the first time, and keeps what
// it needed for some seconds. Of what may stay, half of what nobody needed for a second goes back
// when the second is over, if somebody calls then.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {

// In any unit, the same for all. Not thread-safe.
class idle_policy {
 public:
  using clock = unsigned long long (*)() noexcept;  // milliseconds
  static constexpr unsigned long long decay_milliseconds = 1000;

  // So much may stay at least, and whatever happens, at most.
  explicit constexpr idle_policy(std::size_t least, std::size_t most = SIZE_MAX,
                                 clock milliseconds = os::milliseconds) noexcept
      : now_(milliseconds), least_(least), most_(most) {}

  // Memory in use makes room for memory that may be idle.
  std::size_t limit(std::size_t used) noexcept {
    if (regretted_ != 0 && now_() - last_regret_ > remembered_milliseconds) regretted_ = 0;
    return std::min(most_, std::max(least_, used / 8) + regretted_);
  }
  // The bytes that are left when more than that limit was there, or than the `most` that others
  // leave: less, so that the next free is not too much again. Half, but nearly all where only
  // `most` is in the way.
  static constexpr std::size_t rest_of(std::size_t limit, std::size_t most) noexcept {
    return limit <= most ? limit / 2 : most - most / 8;
  }
  void set(std::size_t least, std::size_t most) noexcept {
    least_ = std::min(least, SIZE_MAX / 4);  // more is added to it
    most_ = most;
  }

  // So much went back, and so much stays. Memory that comes later was not idle before.
  void gave_back(std::size_t amount, std::size_t left) noexcept {
    needed_to_ = std::min(needed_to_, left);
    const unsigned long long now = now_();
    given_back_ = now - last_giving_ > soon_milliseconds ? amount : given_back_ + amount;
    last_giving_ = now;
  }

  // So much of the kept memory is left, since some was of use.
  void reused(std::size_t idle) noexcept { needed_to_ = std::min(needed_to_, idle); }
  // And the rest would be as well: what is regretted is remembered longer.
  void reused_like_it(std::size_t idle) noexcept {
    reused(idle);
    if (regretted_ != 0) last_regret_ = now_();
  }

  // Memory was taken that has to come from the system.
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

  // The part of so much idle memory that may stay: all of it, but for half of what was not needed
  // since the last time, if that was a second ago.
  std::size_t after_decay(std::size_t idle) noexcept {
    const unsigned long long now = now_();
    if (now - looked_at_ < decay_milliseconds) return idle;
    const bool is_first = looked_at_ == 0;
    looked_at_ = now;
    // An odd number loses more than half, so that the last goes, too.
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
  std::size_t needed_to_ = 0;  // the least that was idle since the last look
  unsigned long long looked_at_ = 0;
};

}  // namespace mallard::inline v1::detail
