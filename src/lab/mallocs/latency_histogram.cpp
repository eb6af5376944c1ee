#include "lab/mallocs/latency_histogram.hpp"

#include <cmath>

namespace mallard::lab {

double latency_histogram::quantile(double share) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(total_)));
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    sum += counts_[i];
    if (sum < wanted || sum == 0) continue;
    if (i < steps) return static_cast<double>(i);
    const auto shift = static_cast<int>(i / steps) - 1;
    const double low = std::ldexp(static_cast<double>(steps + i % steps), shift);
    return low + (std::ldexp(1, shift) - 1) / 2;
  }
  return 0;
}

}  // namespace mallard::lab
