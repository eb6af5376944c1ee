// A small, fast generator with the same stream on every platform. It may run while the clock does:
// about a nanosecond per number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mallard::lab {

// splitmix64: one addition, and mixing of the counter.
class random_stream {
 public:
  explicit constexpr random_stream(std::uint64_t seed) noexcept : state_(seed) {}

  constexpr std::uint64_t next() noexcept {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  // Uniform in [0, bound), without a division. Precondition: bound > 0.
  constexpr std::uint32_t below(std::uint32_t bound) noexcept { return scale(next() >> 32, bound); }

  // The 32-bit number `bits`, scaled to [0, bound).
  static constexpr std::uint32_t scale(std::uint64_t bits, std::uint32_t bound) noexcept {
    return static_cast<std::uint32_t>((bits * bound) >> 32);
  }

 private:
  std::uint64_t state_;
};

// Puts the list into random order.
template <class T>
void shuffle(std::vector<T>& list, random_stream& random) {
  for (std::size_t i = list.size(); i > 1; --i) {
    std::swap(list[i - 1], list[random.below(static_cast<std::uint32_t>(i))]);
  }
}

}  // namespace mallard::lab
