// Measures a plan. Each repetition of each cell runs in its own process; contenders are
// interleaved.
#pragma once

#include <functional>
#include <vector>

#include "lab/bench/plan.hpp"
#include "lab/measuring/pace.hpp"
#include "lab/results/cell.hpp"

namespace mallard::lab {

// `interrupted` is called between and during repetitions.
struct bench_events {
  std::function<void(const cell_result&)> cell;
  std::function<void(const progress&)> step;
  bool (*interrupted)() = nullptr;
};

enum class bench_end { finished, interrupted };

// Measures everything in the plan that is not in `finished`. The cells of a place are reported
// after its last repetition; after an interrupt, cells under way are reported with the repetitions
// that they have. Cells whose checksum differs from most of their place have failed. Throws
// std::runtime_error if a condition cannot be prepared.
bench_end run_bench(const bench_plan& plan, const std::vector<cell_result>& finished,
                    const bench_events& events);

}  // namespace mallard::lab
