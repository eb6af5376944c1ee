#include "whatif/gain.hpp"

#include "lab/measuring/statistics.hpp"

namespace mallard::whatif {

std::optional<gain_of_rounds> gain_of(const std::vector<round_times>& rounds, std::uint64_t seed) {
  gain_of_rounds out;
  std::vector<double> least, most;
  for (const round_times& one : rounds) {
    const double left = one.routed - one.taken_off;
    if (left <= 0 || left <= 2 * one.error) continue;
    out.samples.push_back(one.as_it_is / left);
    least.push_back(one.as_it_is / (left + one.error));
    most.push_back(one.as_it_is / (left - one.error));
  }
  if (2 * out.samples.size() <= rounds.size()) return {};
  out.low = lab::bootstrap_median(least, seed).low;
  out.median = lab::median(out.samples);
  out.high = lab::bootstrap_median(most, seed).high;
  return out;
}

}  // namespace mallard::whatif
