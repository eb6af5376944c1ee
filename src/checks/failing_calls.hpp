// Purpose: chooses the calls that fail.
#pragma once

#include <cstdint>
#include <limits>

namespace mallard::inline v1::detail {

class failing_calls {
 public:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  // Calls numbered `first` to `last` from now on fail.
  void arm(std::uint64_t first, std::uint64_t last) noexcept {
    *this = {};
    first_ = first;
    last_ = last;
  }
  // Each call fails with this probability, in a sequence that the seed determines.
  void arm_by_chance(double probability, std::uint64_t seed) noexcept {
    *this = {};
    probability_ = probability;
    random_ = seed;
  }

  // Returns: whether the call made now fails.
  bool next_fails() noexcept {
    const std::uint64_t call = calls_++;
    const bool chosen = call >= first_ && call <= last_;
    if (!chosen && !(probability_ > 0 && chance() < probability_)) return false;
    ++failures_;
    return true;
  }

  std::uint64_t failures() const noexcept { return failures_; }

 private:
  // From 0 to less than 1. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number
  // generators" (2014), whose mixing function this is.
  double chance() noexcept {
    std::uint64_t z = random_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

  std::uint64_t first_ = never;
  std::uint64_t last_ = never;
  double probability_ = 0;
  std::uint64_t random_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t failures_ = 0;
};

}  // namespace mallard::inline v1::detail
