// Makes cells of the readings of repetitions.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "lab/bench/bench.hpp"
#include "lab/bench/plan.hpp"
#include "lab/measuring/errand.hpp"
#include "lab/results/cell.hpp"

namespace mallard::lab {

// The results of the repetitions of one contender at one place.
struct measured_place {
  std::string error;  // empty: all are good
  std::vector<outcome> repetitions;

  // The first failure, or the first repetition with another checksum, fails the whole.
  void add(outcome one);
};

// The cells of a contender at a place: one, or one for each part. Empty if nothing was measured
// yet.
std::vector<cell_result> cells_of(const bench& what, const planned_place& where,
                                  const contender& who, const measured_place& taken,
                                  std::uint64_t seed);

// Whether all required cells are there.
bool is_finished(const bench& what, const planned_place& where, const contender& who,
                 const std::set<cell_key>& done);

// Marks good cells as failed whose checksum differs from that of most cells of the same place in
// `cells` and `others`: they did other work.
void compare_checksums(std::vector<cell_result>& cells, const std::vector<cell_result>& others);

}  // namespace mallard::lab
