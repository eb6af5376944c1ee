// Measures a plan: each repetition of each cell in a process of its own, interleaved over the
// contenders.
#pragma once

#include <functional>
#include <vector>

#include "lab/bench/plan.hpp"
#include "lab/measuring/pace.hpp"
#include "lab/results/cell.hpp"

namespace mallard::lab {

// `interrupted` is asked between and during repetitions.
struct bench_events {
  std::function<void(const cell_result&)> cell;
  std::function<void(const progress&)> step;
  bool (*interrupted)() = nullptr;
};

enum class bench_end { finished, interrupted };

// Measures everything in the plan that `finished` does not contain. The cells of a place are
// reported when its last repetition is done; after an interrupt those under way are reported with
// the repetitions they have. Cells that did other work than most of their place have failed.
// Throws std::runtime_error when the conditions cannot be prepared.
bench_end run_bench(const bench_plan& plan, const std::vector<cell_result>& finished,
                    const bench_events& events);

}  // namespace mallard::lab
