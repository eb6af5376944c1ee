#include "lab/measuring/statistics.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "lab/measuring/random.hpp"

namespace mallard::lab {
namespace {

constexpr std::size_t resamples = 2000;

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

double median(std::span<const double> values) {
  assert(!values.empty());
  std::vector<double> copy(values.begin(), values.end());
  return median_of(copy);
}

interval bootstrap_median(std::span<const double> values, std::uint64_t seed) {
  assert(!values.empty());
  random_stream random(seed);
  std::vector<double> medians;
  medians.reserve(resamples);
  std::vector<double> drawn(values.size());
  for (std::size_t sample = 0; sample < resamples; ++sample) {
    for (double& value : drawn) {
      value = values[random.below(static_cast<std::uint32_t>(values.size()))];
    }
    medians.push_back(median_of(drawn));
  }
  std::sort(medians.begin(), medians.end());
  // Beyond each end lie 2.5 % of the resamples.
  return {medians[resamples / 40], medians[resamples - resamples / 40 - 1]};
}

double geometric_mean(std::span<const double> values) {
  assert(!values.empty());
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace mallard::lab
