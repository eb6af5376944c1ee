// Times single calls: a fast counter and a histogram that allocates nothing.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <time.h>
#endif

namespace mallard::lab {

// A counter that runs evenly. Its frequency is found by comparison with a clock.
inline std::uint64_t read_ticks() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#else
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
#endif
}

// Counts values in 32 steps for each power of two, so errors are about 3 %. Exact below 32.
class latency_histogram {
 public:
  void add(std::uint64_t value) noexcept {
    ++counts_[index_of(value)];
    ++total_;
  }
  void add(const latency_histogram& other) noexcept {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    total_ += other.total_;
  }
  std::uint64_t total() const { return total_; }

  // The value below which this share lies: the middle of its step. 0 if there are none.
  double quantile(double share) const;

 private:
  static constexpr unsigned bits = 5;
  static constexpr std::uint64_t steps = std::uint64_t{1} << bits;

  static constexpr std::size_t index_of(std::uint64_t value) noexcept {
    if (value < steps) return value;
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - bits - 1;
    return (shift + 1) * steps + ((value >> shift) - steps);
  }

  std::array<std::uint64_t, (64 - bits + 1) * steps> counts_{};
  std::uint64_t total_ = 0;
};

}  // namespace mallard::lab
