// A race of the ways in which a program runs: round by round those leave that are clearly behind,
// or that there is no time for, until the best is known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "whatif/comparison.hpp"
#include "whatif/contender.hpp"

namespace mallard::whatif {

// A way in a race.
struct racer {
  double gain = 0;
  double seconds = 0;  // that it takes in a round
  bool stays = false;
};

// Where a round may take so long and no longer, those leave that gain least; two stay in any case.
// Returns: their places in the field.
std::vector<std::size_t> leaving(const std::vector<racer>& field, double seconds);

class race {
 public:
  // `all` must outlive it; those from `first_hidden` on are controls and what is below them.
  // `seed`: of bootstraps. `seconds`: from the experiment's start to the end of the last round; 0:
  // no limit.
  race(std::vector<contender>& all, std::size_t first_hidden, std::uint64_t seed, double seconds)
      : all_(all), first_hidden_(first_hidden), seed_(seed), seconds_(seconds) {}

  // By the first runs, which are no round: files and caches were cold in some of them.
  void leave_far_behind(double passed);
  // Controls, and mallocs below ways, that no way needs any more, if any ever did.
  void leave_with_their_ways();
  // After so many rounds, when so many seconds have passed. Returns: whether there is another round
  // to run.
  bool goes_on(unsigned rounds, double passed);
  double seconds_of_a_round() const;

 private:
  struct standing {
    contender* who;
    double gain;  // in the median; 1: it is not known
    double may_gain;
  };
  void rest_ideal(unsigned rounds, const comparison& now);
  static std::array<double, 2> best_gains(const std::vector<standing>& all);
  std::vector<bool> running_anyway(const std::vector<standing>& all) const;
  std::vector<racer> field_of(const std::vector<standing>& all,
                              const std::vector<bool>& runs_anyway, unsigned rounds) const;
  void leave_for_want_of_time(std::vector<standing> all, unsigned rounds, double passed);
  void leave_until_a_round_fits(std::vector<standing> all, double seconds);

  std::vector<contender>& all_;
  std::size_t first_hidden_;
  std::uint64_t seed_;
  double seconds_;
};

}  // namespace mallard::whatif
