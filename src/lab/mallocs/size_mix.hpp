// A distribution of requested sizes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "lab/measuring/random.hpp"

namespace mallard::lab {

struct size_share {
  std::uint32_t bytes = 0;
  double weight = 0;  // relative to the sum of all weights
};

// Some sizes with weights, or all sizes between two bounds. Trivially copyable.
class size_mix {
 public:
  static constexpr std::size_t most_sizes = 512;
  static constexpr std::uint32_t largest = std::uint32_t{1} << 30;

  // Only `bytes`.
  static size_mix fixed(std::uint32_t bytes);
  // low, low + step ... up to high, with equal weights. Precondition: at most most_sizes of them.
  static size_mix uniform(std::uint32_t low, std::uint32_t high, std::uint32_t step);
  // The same sizes by Fisher's F distribution with 1 and 1 degrees of freedom: a value in [i, i +
  // 1) means low + i * step, and values beyond the last one are drawn again.
  static size_mix fisher(std::uint32_t low, std::uint32_t high, std::uint32_t step);
  // Preconditions: at most most_sizes, weights not negative, one of them positive.
  static size_mix histogram(std::span<const size_share> shares);
  // All sizes with equal weights; or all magnitudes with equal weights.
  static size_mix range(std::uint32_t low, std::uint32_t high);
  static size_mix log_uniform(std::uint32_t low, std::uint32_t high);

  std::uint32_t draw(random_stream& random) const;
  double mean() const;

  // The weights add up to 1.
  std::span<const size_share> shares() const { return {shares_.data(), count_}; }

 private:
  enum class form : std::uint8_t { listed, range, log_range };

  void divide_by_sum();

  form form_ = form::listed;
  std::uint32_t low_ = 0;
  std::uint32_t high_ = 0;
  std::uint32_t count_ = 0;
  std::array<size_share, most_sizes> shares_{};
};

}  // namespace mallard::lab
