// Runs a series: each repetition of each cell in its own process, interleaved over strategies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/bench_events.hpp"
#include "lab/series.hpp"
#include "lab/series_job.hpp"

namespace mallard::lab {

// A cell that is to be measured.
struct planned_cell {
  series_key key;
  series_job what;
  double expected_seconds = 0;  // rough, of one repetition: only to tell how much is done
};

// The cells of one place, all strategies and heaps, follow each other.
struct series_plan {
  std::vector<planned_cell> cells;
  std::vector<std::string> heaps;
  unsigned repetitions = 0;
  std::uint64_t seed = 1;
};

using series_events = bench_events<series_cell>;

// Measures every cell of the plan that `finished` does not contain. A cell is reported when the
// last repetition of its place is done; after an interrupt the cells under way are reported with
// the repetitions they have. Throws std::runtime_error when the conditions cannot be prepared.
bench_end run_series(const series_plan& plan, const std::vector<series_cell>& finished,
                     const series_events& events);

}  // namespace mallard::lab
