#include "lab/cell_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/interleave.hpp"
#include "lab/statistics.hpp"

namespace mallard::lab {
namespace {

// Whether a cell calls malloc while it is timed: ours never do, and a monotonic resource does not
// while it has its buffer.
bool allocates_from_heap(const column& where) {
  return where.peer != "mallard" && !where.how->callers_buffer;
}

void add_repetition(cell_result& result, job& what, const outcome& repetition) {
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
  result.runs = what.runs = measured.runs;  // the later repetitions do as many
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

}  // namespace

cell_group::cell_group(const density_plan& plan, const structure& ds, int size,
                       const std::set<cell_key>& finished)
    : plan_(plan), ds_(ds) {
  for (const std::string& heap : plan.heaps) {
    for (const column& where : plan.columns) {
      cell_state cell = make_cell(heap, where, size);
      if (!finished.contains(cell.result.key)) cells_.push_back(std::move(cell));
    }
  }
}

double cell_group::expected_seconds() const {
  double sum = 0;
  for (const cell_state& cell : cells_) sum += expected_seconds(cell.what);
  return sum * plan_.repetitions;
}

bool cell_group::measure(conditions& ready, bool (*interrupted)(),
                         const std::function<void(double)>& step) {
  return interleave(cells_, plan_.repetitions, plan_.seed, [&](cell_state& cell) {
    if (cell.result.ok()) {
      const outcome one = ready.choose(heap_of(cell)).run(cell.what, interrupted);
      if (interrupted && interrupted()) return false;
      add_repetition(cell.result, cell.what, one);
    }
    step(expected_seconds(cell.what));
    return true;
  });
}

// The original measures all but AS1 and AS2 on a clean heap, whatever the heap of those two.
std::string_view cell_group::heap_of(const cell_state& cell) const {
  const bool global = cell.where->how->what == mechanism::global;
  return cell.what.paper && !global ? "clean" : std::string_view(cell.result.key.heap);
}

std::vector<cell_result> cell_group::take_results() {
  std::vector<cell_result> all;
  for (cell_state& cell : cells_) {
    if (cell.result.seconds.empty() && cell.result.ok()) continue;
    summarise(cell.result, plan_.seed);
    all.push_back(std::move(cell.result));
  }
  cells_.clear();
  return all;
}

cell_group::cell_state cell_group::make_cell(const std::string& heap, const column& where,
                                             int size) const {
  cell_state cell{&where, {}, {}};
  cell.result.bench = "density";
  cell.result.key = {std::string(ds_.name), size, std::string(where.how->name), where.peer, heap};
  cell.result.mode = plan_.choices == mode::paper ? "paper" : "fair";
  cell.result.leaves = plan_.leaves();

  job& what = cell.what;
  what.run = find_kernel(ds_.number, *where.how, where.peer, plan_.choices);
  what.outer_elements = std::uint64_t{1} << size;
  what.leaves_per_run = leaves_per_run(ds_, size);
  what.leaves = plan_.leaves();
  what.seed = plan_.seed;
  what.memory_limit = plan_.memory_limit;
  what.timeout_seconds = plan_.timeout_seconds;
  what.paper = plan_.choices == mode::paper;
  what.uses_heap = heap == "aged" && allocates_from_heap(where);
  if (where.how->callers_buffer) {
    what.buffer_bytes = what.paper ? max_buffer_bytes : buffer_bytes(ds_, size);
    // Address space that is never touched must not be what breaks the limit.
    if (plan_.memory_limit > 0) {
      what.buffer_bytes = std::min(what.buffer_bytes, plan_.memory_limit / 2);
    }
  }
  return cell;
}

double cell_group::expected_seconds(const job& what) const {
  const double leaf = ds_.strings ? 150e-9 : 20e-9;
  const double nominal = static_cast<double>(std::max(what.leaves, what.leaves_per_run));
  return 0.012 + leaf * (nominal + static_cast<double>(what.leaves_per_run));
}

}  // namespace mallard::lab
