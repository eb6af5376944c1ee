// Medians, their bootstrap confidence intervals, and geometric means.
#pragma once

#include <cstdint>
#include <span>

namespace mallard::lab {

struct interval {
  double low;
  double high;
};

// The middle value, or the mean of the two middle ones. Precondition: not empty.
double median(std::span<const double> values);

// With fewer values, bootstrap_median() returns their range, from the least to the most.
inline constexpr unsigned fewest_for_interval = 6;

// The 95 % percentile interval of the median, over 2,000 resamples drawn with the seed. Equal
// values and seeds give equal intervals. Precondition: not empty.
interval bootstrap_median(std::span<const double> values, std::uint64_t seed);

// Precondition: not empty, all positive.
double geometric_mean(std::span<const double> values);

}  // namespace mallard::lab
