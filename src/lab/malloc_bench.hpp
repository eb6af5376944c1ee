// Runs the benches of mallocs: each repetition of each place in a process of its own, interleaved
// over the allocators.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/allocators.hpp"
#include "lab/bench_events.hpp"
#include "lab/malloc_work/job.hpp"
#include "lab/series.hpp"

namespace mallard::lab {

// What all allocators do at one place of a bench. One process may measure several cells: those of
// all chains of "speed", and of "memory" its time series.
struct malloc_place {
  coordinates at;  // without what tells the cells of one process apart
  malloc_job what;
  double expected_seconds = 0;  // rough, of one repetition: only to tell how much is done
};

struct malloc_plan {
  std::string bench;
  std::vector<malloc_place> places;
  std::vector<allocator_library> allocators;
  std::filesystem::path program;  // does what work_process.hpp says
  unsigned repetitions = 0;
  std::uint64_t seed = 1;
  double timeout_seconds = 300;
};

// The bench of the cells that say how memory went, point by point.
inline constexpr std::string_view memory_series = "memory-series";

// Whether the cells of a bench are of mallocs, one against the other.
bool is_malloc_bench(std::string_view bench);

// Measures everything in the plan that `finished` does not contain. The cells of a place are
// reported when its last repetition is done; after an interrupt those under way are reported with
// the repetitions they have.
bench_end run_malloc_bench(const malloc_plan& plan, const std::vector<series_cell>& finished,
                           const bench_events<series_cell>& events);

}  // namespace mallard::lab
