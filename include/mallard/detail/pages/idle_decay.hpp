// Purpose: decides which part of kept memory goes back as time passes: once a second, half of what
// nobody needed in that second, if somebody calls then.
#pragma once

#include <algorithm>
#include <cstddef>

#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {

// Amounts are in any unit, the same for all calls. Not thread-safe.
class idle_decay {
 public:
  using clock = unsigned long long (*)() noexcept;  // milliseconds
  static constexpr unsigned long long milliseconds = 1000;

  explicit constexpr idle_decay(clock now = os::milliseconds) noexcept : now_(now) {}

  // Some was of use or went back, and so much is left. What comes later was not idle before.
  void fell_to(std::size_t idle) noexcept { needed_to_ = std::min(needed_to_, idle); }

  // The part of the idle memory that may stay: all of it, less half of what was not needed since
  // the last call that was a second ago.
  std::size_t rest_of(std::size_t idle) noexcept {
    const unsigned long long now = now_();
    if (now - looked_at_ < milliseconds) return idle;
    const bool is_first = looked_at_ == 0;
    looked_at_ = now;
    // Odd amounts lose more than half, so that the last unit goes too.
    const std::size_t surplus = is_first ? 0 : std::min(needed_to_, idle);
    needed_to_ = idle - (surplus - surplus / 2);
    return needed_to_;
  }

 private:
  clock now_;
  std::size_t needed_to_ = 0;  // the least that was idle since the last decay
  unsigned long long looked_at_ = 0;
};

}  // namespace mallard::inline v1::detail
