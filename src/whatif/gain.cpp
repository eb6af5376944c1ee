#include "whatif/gain.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

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
  const lab::interval of_runs = lab::bootstrap_median(out.samples, seed);
  out.median = lab::median(out.samples);
  // The two errors are independent.
  out.low =
      out.median - std::hypot(out.median - of_runs.low, out.median - lab::median(std::move(least)));
  out.high =
      out.median + std::hypot(of_runs.high - out.median, lab::median(std::move(most)) - out.median);
  return out;
}

std::vector<std::size_t> leaving(const std::vector<racer>& field, double seconds) {
  constexpr std::size_t fewest = 2;
  std::vector<std::size_t> order(field.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(!field[a].stays, -field[a].gain, a) <
           std::tuple(!field[b].stays, -field[b].gain, b);
  });
  std::size_t stay = 0;
  for (; stay < order.size(); ++stay) {
    seconds -= field[order[stay]].seconds;
    if (seconds < 0 && stay >= fewest && !field[order[stay]].stays) break;
  }
  order.erase(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(stay));
  return order;
}

}  // namespace mallard::whatif
