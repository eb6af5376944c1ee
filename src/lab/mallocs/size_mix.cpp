#include "lab/mallocs/size_mix.hpp"

#include <cassert>
#include <cmath>
#include <numbers>

namespace mallard::lab {
namespace {

// A number in [0, 1).
double unit(random_stream& random) {
  return static_cast<double>(random.next() >> 11) * 0x1p-53;
}

// The probability that F(1, 1) is below x, the quotient of two squared normal variables.
double fisher_below(double x) {
  return 2 / std::numbers::pi * std::atan(std::sqrt(x));
}

}  // namespace

void size_mix::divide_by_sum() {
  double sum = 0;
  for (const size_share& one : shares()) sum += one.weight;
  for (std::size_t i = 0; i < count_; ++i) shares_[i].weight /= sum;
}

size_mix size_mix::fixed(std::uint32_t bytes) {
  return uniform(bytes, bytes, 1);
}

size_mix size_mix::uniform(std::uint32_t low, std::uint32_t high, std::uint32_t step) {
  assert(step > 0 && low <= high && (high - low) / step < most_sizes);
  size_mix mix;
  for (std::uint32_t bytes = low; bytes <= high; bytes += step) {
    mix.shares_[mix.count_++] = {bytes, 1};
  }
  mix.divide_by_sum();
  return mix;
}

size_mix size_mix::fisher(std::uint32_t low, std::uint32_t high, std::uint32_t step) {
  size_mix mix = uniform(low, high, step);
  for (std::size_t i = 0; i < mix.count_; ++i) {
    const auto x = static_cast<double>(i);
    mix.shares_[i].weight = fisher_below(x + 1) - fisher_below(x);
  }
  mix.divide_by_sum();
  return mix;
}

size_mix size_mix::histogram(std::span<const size_share> shares) {
  assert(shares.size() <= most_sizes);
  size_mix mix;
  for (const size_share& one : shares) mix.shares_[mix.count_++] = one;
  mix.divide_by_sum();
  return mix;
}

size_mix size_mix::range(std::uint32_t low, std::uint32_t high) {
  size_mix mix;
  mix.form_ = form::range;
  mix.low_ = low;
  mix.high_ = high;
  return mix;
}

size_mix size_mix::log_uniform(std::uint32_t low, std::uint32_t high) {
  size_mix mix = range(low, high);
  mix.form_ = form::log_range;
  return mix;
}

std::uint32_t size_mix::draw(random_stream& random) const {
  if (form_ == form::range) return low_ + random.below(high_ - low_ + 1);
  if (form_ == form::log_range) {
    const double low = low_;
    return static_cast<std::uint32_t>(low * std::pow(high_ / low, unit(random)));
  }
  double rest = unit(random);
  for (const size_share& one : shares()) {
    rest -= one.weight;
    if (rest < 0) return one.bytes;
  }
  return shares().back().bytes;  // the weights add up to slightly less than 1
}

double size_mix::mean() const {
  if (form_ == form::range) return (static_cast<double>(low_) + high_) / 2;
  if (form_ == form::log_range) {
    return high_ == low_ ? low_ : (high_ - low_) / std::log(static_cast<double>(high_) / low_);
  }
  double sum = 0;
  for (const size_share& one : shares()) sum += one.weight * one.bytes;
  return sum;
}

}  // namespace mallard::lab
