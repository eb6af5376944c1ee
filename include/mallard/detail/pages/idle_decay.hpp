// Purpose: decides which part of kept memory goes back as time passes: half of what nobody needed
// for a second, during the next one, if somebody calls then. It goes in portions, so that no call
// waits for all of it, unless calls are as rare.
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
  static constexpr unsigned portions = 16;
  static constexpr unsigned long long milliseconds_of_portion = milliseconds / portions;

  explicit constexpr idle_decay(clock now = os::milliseconds) noexcept : now_(now) {}

  // Some was of use or went back, and so much is left. What comes later was not idle before.
  void fell_to(std::size_t idle) noexcept {
    needed_to_ = std::min(needed_to_, idle);
    due_ = std::min(due_, idle);
  }

  // The part of the idle memory that may stay: all of it, less the portions that have become due
  // since the last call.
  std::size_t rest_of(std::size_t idle) noexcept {
    const unsigned long long now = now_();
    const unsigned long long passed = (now - looked_at_) / milliseconds_of_portion;
    if (passed == 0) return idle;
    looked_at_ = now;
    if (now - begun_at_ >= milliseconds) {
      // Odd amounts lose more than half, so that the last unit goes too.
      const std::size_t surplus = begun_at_ == 0 ? 0 : std::min(needed_to_, idle);
      due_ = surplus - surplus / 2;
      portion_ = (due_ + portions - 1) / portions;
      begun_at_ = now;
      needed_to_ = idle;
    }
    const std::size_t gone =
        passed < portions ? std::min(due_, portion_ * static_cast<std::size_t>(passed)) : due_;
    due_ -= gone;
    return idle - gone;
  }

 private:
  clock now_;
  std::size_t needed_to_ = 0;  // the least that was idle in this second
  unsigned long long begun_at_ = 0;
  std::size_t due_ = 0;  // of the second before this one; goes back in this one
  std::size_t portion_ = 0;
  unsigned long long looked_at_ = 0;
};

}  // namespace mallard::inline v1::detail
