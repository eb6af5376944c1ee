// Runs Benchmark I: each repetition of each cell in its own process, interleaved over strategies.
#pragma once

#include <vector>

#include "lab/bench_events.hpp"
#include "lab/plan.hpp"
#include "lab/results.hpp"

namespace mallard::lab {

using density_events = bench_events<cell_result>;
using density_end = bench_end;

// Measures every cell of the plan that `finished` does not contain. A cell is reported when its
// last repetition is done; after an interrupt the cells under way are reported with the repetitions
// they have. Throws std::runtime_error when the conditions cannot be prepared.
density_end run_density(const density_plan& plan, const std::vector<cell_result>& finished,
                        const density_events& events);

// Marks good cells failed whose checksum is not that of most cells of the same data structure and
// size in `cells` and `others`: they did other work.
void compare_checksums(std::vector<cell_result>& cells, const std::vector<cell_result>& others);

}  // namespace mallard::lab
