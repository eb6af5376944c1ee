#include "lab/density.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <numeric>
#include <set>

#include "lab/statistics.hpp"
#include "lab/zygote.hpp"

namespace mallard::lab {
namespace {

// The processes that stand ready, one for each condition that the plan needs.
class conditions {
 public:
  explicit conditions(const density_plan& plan) : paper_(plan.choices == mode::paper) {
    const std::size_t buffer = paper_ ? max_buffer_bytes : 0;
    for (const std::string& heap : plan.heaps) {
      // The original measures all but AS1 and AS2 on a clean heap, whatever the heap of those two.
      if (heap == "clean" || paper_) clean_ = std::make_unique<zygote>(heap_state::clean, buffer);
      if (heap == "aged") {
        const auto state = paper_ ? heap_state::aged_unsettled : heap_state::aged;
        aged_ = std::make_unique<zygote>(state, buffer);
      }
    }
  }

  zygote& choose(std::string_view heap, const strategy& how) {
    const bool clean = heap == "clean" || (paper_ && how.what != mechanism::global);
    return clean ? *clean_ : *aged_;
  }

 private:
  bool paper_;
  std::unique_ptr<zygote> clean_;
  std::unique_ptr<zygote> aged_;
};

struct cell_state {
  const column* where;
  cell_result result;
  job what;
  bool failed() const { return !result.ok(); }
};

// Rough seconds of one repetition: only to tell how much of the whole is done.
double expected_seconds(const job& what, const structure& ds) {
  const double leaf = ds.strings ? 150e-9 : 20e-9;
  const double nominal = static_cast<double>(std::max(what.leaves, what.leaves_per_run));
  return 0.012 + leaf * (nominal + static_cast<double>(what.leaves_per_run));
}

// Counts repetitions and predicts the time left from the ratio of real to expected seconds.
class pace {
 public:
  pace(std::size_t total, double expected, const density_events& events)
      : total_(total), expected_(expected), events_(events) {}

  void step(double expected, std::string_view doing) {
    ++done_;
    spent_ += expected;
    const double elapsed =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (events_.step) {
      events_.step({done_, total_, elapsed * (expected_ - spent_) / spent_, doing});
    }
  }

 private:
  std::size_t done_ = 0;
  std::size_t total_;
  double spent_ = 0;
  double expected_;
  const density_events& events_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Whether a cell calls malloc while it is timed: ours never do, and a monotonic resource does not
// while it has its buffer.
bool allocates_from_heap(const column& where) {
  return where.peer != "mallard" && !where.how->callers_buffer;
}

cell_state make_cell(const density_plan& plan, const structure& ds, int size,
                     const std::string& heap, const column& where) {
  cell_state cell{&where, {}, {}};
  cell.result.bench = "density";
  cell.result.key = {std::string(ds.name), size, std::string(where.how->name), where.peer, heap};
  cell.result.mode = plan.choices == mode::paper ? "paper" : "fair";
  cell.result.leaves = plan.leaves();

  job& what = cell.what;
  what.run = find_kernel(ds.number, *where.how, where.peer, plan.choices);
  what.outer_elements = std::uint64_t{1} << size;
  what.leaves_per_run = leaves_per_run(ds, size);
  what.leaves = plan.leaves();
  what.seed = plan.seed;
  what.memory_limit = plan.memory_limit;
  what.timeout_seconds = plan.timeout_seconds;
  what.paper = plan.choices == mode::paper;
  what.uses_heap = heap == "aged" && allocates_from_heap(where);
  if (where.how->callers_buffer) {
    what.buffer_bytes = what.paper ? max_buffer_bytes : buffer_bytes(ds, size);
    // Address space that is never touched must not be what breaks the limit.
    if (plan.memory_limit > 0) {
      what.buffer_bytes = std::min(what.buffer_bytes, plan.memory_limit / 2);
    }
  }
  return cell;
}

void add_repetition(cell_state& cell, const outcome& repetition) {
  cell_result& result = cell.result;
  const measurement& measured = repetition.measured;
  const std::string checksum = fmt::format("{:016x}", measured.checksum);
  if (!repetition.ok()) {
    result.error = repetition.error.data();
    return;
  }
  if (!result.checksum.empty() && result.checksum != checksum) {
    result.error = "the checksum differs between repetitions";
    return;
  }
  result.checksum = checksum;
  result.runs = cell.what.runs = measured.runs;  // the later repetitions do as many
  result.seconds.push_back(measured.seconds);
  result.setup_seconds.push_back(measured.setup_seconds);
  result.rss_bytes.push_back(measured.rss_bytes);
  result.base_rss_bytes.push_back(measured.base_rss_bytes);
  result.minor_faults.push_back(measured.minor_faults);
  result.major_faults.push_back(measured.major_faults);
}

void summarise(cell_result& result, std::uint64_t seed) {
  if (!result.ok()) return;
  result.median = median(result.seconds);
  const interval ci = bootstrap_median(result.seconds, seed);
  result.ci_low = ci.low;
  result.ci_high = ci.high;
}

// The cells of one data structure and size, all columns and heaps: what is interleaved.
class group {
 public:
  group(const density_plan& plan, const structure& ds, int size, const std::set<cell_key>& finished)
      : plan_(plan), ds_(ds) {
    for (const std::string& heap : plan.heaps) {
      for (const column& where : plan.columns) {
        cell_state cell = make_cell(plan, ds, size, heap, where);
        if (!finished.contains(cell.result.key)) cells_.push_back(std::move(cell));
      }
    }
  }

  std::size_t repetitions() const { return cells_.size() * plan_.repetitions; }

  double expected() const {
    double sum = 0;
    for (const cell_state& cell : cells_) sum += expected_seconds(cell.what, ds_);
    return sum * plan_.repetitions;
  }

  density_end measure(conditions& ready, const density_events& events, pace& clock) {
    const auto interrupted = [&] { return events.interrupted && events.interrupted(); };
    random_stream random(plan_.seed);
    for (unsigned repetition = 0; repetition < plan_.repetitions; ++repetition) {
      shuffle(random);
      for (cell_state& cell : cells_) {
        if (!cell.failed()) {
          const auto& key = cell.result.key;
          const outcome one =
              ready.choose(key.heap, *cell.where->how).run(cell.what, events.interrupted);
          if (interrupted()) return density_end::interrupted;
          add_repetition(cell, one);
        }
        clock.step(expected_seconds(cell.what, ds_), cell.result.key.ds);
      }
    }
    return density_end::finished;
  }

  // In the order of the plan. Cells without a single repetition are left out.
  std::vector<cell_result> results(const std::vector<cell_result>& finished) {
    std::sort(cells_.begin(), cells_.end(), [this](const cell_state& a, const cell_state& b) {
      return std::pair(heap_order(a), a.where) < std::pair(heap_order(b), b.where);
    });
    std::vector<cell_result> all;
    for (cell_state& cell : cells_) {
      if (cell.result.seconds.empty() && cell.result.ok()) continue;
      summarise(cell.result, plan_.seed);
      all.push_back(std::move(cell.result));
    }
    compare_checksums(all, finished);
    return all;
  }

 private:
  // A new order for each repetition, so that no strategy always follows the same other one.
  void shuffle(random_stream& random) {
    for (std::size_t i = cells_.size(); i > 1; --i) {
      std::swap(cells_[i - 1], cells_[random.below(static_cast<std::uint32_t>(i))]);
    }
  }

  std::ptrdiff_t heap_order(const cell_state& cell) const {
    return std::find(plan_.heaps.begin(), plan_.heaps.end(), cell.result.key.heap) -
           plan_.heaps.begin();
  }

  const density_plan& plan_;
  const structure& ds_;
  std::vector<cell_state> cells_;
};

}  // namespace

void compare_checksums(std::vector<cell_result>& cells, const std::vector<cell_result>& others) {
  using where = std::pair<std::string, int>;
  std::map<where, std::map<std::string, std::size_t>> votes;
  for (const auto* some : {&others, const_cast<const std::vector<cell_result>*>(&cells)}) {
    for (const cell_result& cell : *some) {
      if (cell.ok()) ++votes[{cell.key.ds, cell.key.size}][cell.checksum];
    }
  }
  for (cell_result& cell : cells) {
    if (!cell.ok()) continue;
    const auto& counts = votes[{cell.key.ds, cell.key.size}];
    const auto most =
        std::max_element(counts.begin(), counts.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (cell.checksum != most->first) {
      cell.error =
          fmt::format("the checksum {} differs from the others' {}", cell.checksum, most->first);
    }
  }
}

density_end run_density(const density_plan& plan, const std::vector<cell_result>& finished,
                        const density_events& events) {
  std::set<cell_key> done;
  for (const cell_result& cell : finished) done.insert(cell.key);

  std::vector<group> groups;
  std::size_t repetitions = 0;
  double expected = 0;
  for (const structure* ds : plan.structures) {
    for (const int size : plan.sizes) {
      groups.emplace_back(plan, *ds, size, done);
      repetitions += groups.back().repetitions();
      expected += groups.back().expected();
    }
  }

  if (repetitions == 0) return density_end::finished;
  conditions ready(plan);
  pace clock(repetitions, expected, events);
  for (group& one : groups) {
    const density_end end = one.measure(ready, events, clock);
    for (const cell_result& cell : one.results(finished)) events.cell(cell);
    if (end == density_end::interrupted) return end;
  }
  return density_end::finished;
}

}  // namespace mallard::lab
