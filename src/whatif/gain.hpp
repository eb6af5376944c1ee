// Speed-up of a program with routes, without the cost of routing itself.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace mallard::whatif {

// Times of one round, in seconds.
struct round_times {
  double as_it_is = 0;
  double routed = 0;     // the run with routes
  double taken_off = 0;  // of it: what a program that was written so does not do
  double error = 0;      // by which that may be more or less, whatever the rounds
  double noise = 0;      // by which the rounds make it more or less
};

struct gain_of_rounds {
  double low = 0;
  double median = 0;
  double high = 0;
  std::vector<double> samples;  // of the rounds in which it can be told
};

// The program's time over what is left of the routed one's. The interval holds that of the
// runs and the error of what is taken off. Nothing, where in half of the rounds that is as much as
// half of what is left: then the figure would be noise.
std::optional<gain_of_rounds> gain_of(const std::vector<round_times>& rounds, std::uint64_t seed);

// That so many runs are all faster by chance is a matter of one in 32.
inline constexpr unsigned enough_runs = 5;

}  // namespace mallard::whatif
