#include "lab/bench/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "lab/bench/cells_of.hpp"
#include "lab/measuring/executed.hpp"
#include "lab/measuring/interleave.hpp"
#include "lab/measuring/zygote.hpp"

namespace mallard::lab {
namespace {

// The cost of starting a process and reading its figures.
constexpr double seconds_per_process[] = {0.01, 0.02};
// The caller's buffer as in the original.
constexpr std::size_t original_buffer_bytes = std::size_t{1} << 30;

// The processes from which measurements are forked, one for each required condition.
class conditions {
 public:
  void prepare(const std::string& heap, bool as_the_original) {
    std::unique_ptr<zygote>& slot = ready_[{heap, as_the_original}];
    if (slot) return;
    const heap_state state = heap == "clean"   ? heap_state::clean
                             : as_the_original ? heap_state::aged_unsettled
                                               : heap_state::aged;
    slot = std::make_unique<zygote>(state, as_the_original ? original_buffer_bytes : 0);
  }
  zygote& choose(const std::string& heap, bool as_the_original) {
    return *ready_.at({heap, as_the_original});
  }

 private:
  std::map<std::pair<std::string, bool>, std::unique_ptr<zygote>> ready_;
};

// The state of one contender at one place during the measurement.
struct cell_state {
  const contender* who = nullptr;
  task what = {};
  measured_place result;
  std::uint64_t hint = 0;
  double expected_seconds = 0;
  std::string heap() const { return what.heap.empty() ? who->heap : what.heap; }
};

struct place_state {
  const planned_place* where = nullptr;
  std::vector<cell_state> cells;
};

class run {
 public:
  run(const bench_plan& plan, const std::vector<cell_result>& finished, const bench_events& events)
      : plan_(plan), finished_(finished), events_(events) {}

  bench_end measure_all() {
    collect();
    if (left_ == 0) return bench_end::finished;
    for (const place_state& one : places_) {
      for (const cell_state& cell : one.cells) {
        if (cell.who->process == process_kind::forked) {
          conditions_.prepare(cell.heap(), cell.what.as_the_original);
        }
      }
    }
    pace clock(left_, expected_, events_.step);
    for (place_state& one : places_) {
      const bool complete = interleave(one.cells, plan_.repetitions, plan_.seed,
                                       [&](cell_state& cell) { return once(one, cell, clock); });
      report(one);
      if (!complete) return bench_end::interrupted;
    }
    return bench_end::finished;
  }

 private:
  // Collects the cells that are not measured yet, in the plan's order.
  void collect() {
    std::set<cell_key> done;
    for (const cell_result& one : finished_) done.insert(one.key());
    for (const planned_place& where : plan_.places) {
      place_state state{&where, {}};
      for (const contender& who : plan_.contenders) {
        cell_state cell;
        cell.what = plan_.what->kernel(who, where.all);
        if (!cell.what) continue;
        cell.who = &who;
        const double own =
            plan_.what->expected_seconds ? plan_.what->expected_seconds(where.all) : 0;
        cell.expected_seconds = own + seconds_per_process[who.process == process_kind::executed];
        if (is_finished(*plan_.what, where, who, done)) continue;
        left_ += plan_.repetitions;
        expected_ += cell.expected_seconds * plan_.repetitions;
        state.cells.push_back(std::move(cell));
      }
      if (!state.cells.empty()) places_.push_back(std::move(state));
    }
  }

  bool once(const place_state& at, cell_state& cell, pace& clock) {
    if (cell.result.error.empty()) {
      outcome one = measure_once(cell);
      if (events_.interrupted && events_.interrupted()) return false;
      if (cell.hint == 0) cell.hint = one.hint;
      cell.result.add(std::move(one));
    }
    clock.step(cell.expected_seconds, to_string(at.where->key));
    return true;
  }

  outcome measure_once(const cell_state& cell) {
    measuring_limits limits;
    limits.memory_limit = plan_.memory_limit;
    limits.timeout_seconds = plan_.timeout_seconds;
    limits.hint = cell.hint;
    // Also for our resources: lists and tables are on the global heap.
    limits.copies_heap = cell.who->heap == "aged";
    if (cell.who->process == process_kind::executed) {
      return run_executed(plan_.program, *cell.who, cell.what, limits, events_.interrupted);
    }
    return conditions_.choose(cell.heap(), cell.what.as_the_original)
        .run(cell.what, limits, events_.interrupted);
  }

  void report(const place_state& at) {
    std::vector<cell_result> cells;
    for (const cell_state& one : at.cells) {
      for (cell_result& cell : cells_of(*plan_.what, *at.where, *one.who, one.result, plan_.seed)) {
        cells.push_back(std::move(cell));
      }
    }
    compare_checksums(cells, finished_);
    for (const cell_result& cell : cells) events_.cell(cell);
  }

  const bench_plan& plan_;
  const std::vector<cell_result>& finished_;
  const bench_events& events_;
  conditions conditions_;
  std::vector<place_state> places_;
  std::size_t left_ = 0;
  double expected_ = 0;
};

}  // namespace

bench_end run_bench(const bench_plan& plan, const std::vector<cell_result>& finished,
                    const bench_events& events) {
  return run(plan, finished, events).measure_all();
}

}  // namespace mallard::lab
