// The cells of one data structure and size, all strategies and heaps: what is interleaved.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "lab/conditions.hpp"
#include "lab/plan.hpp"
#include "lab/results.hpp"

namespace mallard::lab {

class cell_group {
 public:
  // Leaves out the cells that are `finished`. Refers to the plan and the structure.
  cell_group(const density_plan& plan, const structure& ds, int size,
             const std::set<cell_key>& finished);

  std::size_t repetitions() const { return cells_.size() * plan_.repetitions; }

  // Rough seconds of all repetitions: only to tell how much of the whole is done.
  double expected_seconds() const;

  // Measures all repetitions, one of every cell before the next of any, and calls `step` with the
  // expected seconds of each. False when `interrupted` said so.
  bool measure(conditions& ready, bool (*interrupted)(),
               const std::function<void(double expected)>& step);

  // In the order of the plan. Cells without a single repetition are left out.
  std::vector<cell_result> take_results();

 private:
  struct cell_state {
    const column* where;
    cell_result result;
    job what;
  };

  cell_state make_cell(const std::string& heap, const column& where, int size) const;
  double expected_seconds(const job& what) const;
  std::string_view heap_of(const cell_state& cell) const;

  const density_plan& plan_;
  const structure& ds_;
  std::vector<cell_state> cells_;
};

}  // namespace mallard::lab
