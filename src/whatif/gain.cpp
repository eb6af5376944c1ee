#include "whatif/gain.hpp"

#include <algorithm>
#include <cmath>

#include "lab/measuring/statistics.hpp"

namespace mallard::whatif {

std::optional<gain_of_rounds> gain_of(const std::vector<round_times>& rounds, std::uint64_t seed) {
  gain_of_rounds out;
  std::vector<double> least, most;
  for (const round_times& one : rounds) {
    const double left = one.routed - one.taken_off;
    if (left <= 0 || left <= 2 * one.error) continue;
    out.samples.push_back(one.as_it_is / left);
    const double more_or_less = std::hypot(one.error, one.noise);
    least.push_back(one.as_it_is / (left + more_or_less));
    most.push_back(one.as_it_is / std::max(left - more_or_less, left / 10));
  }
  if (2 * out.samples.size() <= rounds.size()) return {};
  const lab::interval of_runs = lab::bootstrap_median(out.samples, seed);
  out.median = lab::median(out.samples);
  // The two errors are independent.
  const double below = std::hypot(out.median - of_runs.low, out.median - lab::median(least));
  out.low = std::max(0.0, out.median - below);
  out.high = out.median + std::hypot(of_runs.high - out.median, lab::median(most) - out.median);
  return out;
}

}  // namespace mallard::whatif
