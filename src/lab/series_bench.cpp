#include "lab/series_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "lab/conditions.hpp"
#include "lab/interleave.hpp"
#include "lab/pace.hpp"

namespace mallard::lab {
namespace {

// A cell while it is measured.
struct cell_state {
  const planned_cell* plan;
  std::string error;
  std::vector<readings> repetitions;
};

void add_repetition(cell_state& cell, const basic_outcome<readings>& one) {
  if (!one.ok()) {
    cell.error = one.error.data();
  } else if (!cell.repetitions.empty() &&
             cell.repetitions.front().checksum != one.measured.checksum) {
    cell.error = "the checksum differs between repetitions";
  } else {
    cell.repetitions.push_back(one.measured);
  }
}

// Cells of one place that did other work than most of them have failed.
void compare_checksums(std::vector<cell_state>& cells) {
  std::map<std::uint64_t, std::size_t> votes;
  for (const cell_state& cell : cells) {
    if (cell.error.empty() && !cell.repetitions.empty()) ++votes[cell.repetitions[0].checksum];
  }
  if (votes.size() < 2) return;
  const auto most = std::max_element(
      votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  for (cell_state& cell : cells) {
    if (!cell.error.empty() || cell.repetitions.empty()) continue;
    const std::uint64_t checksum = cell.repetitions[0].checksum;
    if (checksum != most->first) {
      cell.error = fmt::format("the checksum {:016x} differs from the others' {:016x}", checksum,
                               most->first);
    }
  }
}

series_cell to_cell(const cell_state& cell, std::uint64_t seed) {
  series_cell result;
  static_cast<series_key&>(result) = cell.plan->key;
  result.error = cell.error;
  if (!result.ok()) return result;
  const auto figures = cell.repetitions[0].all();
  for (std::size_t i = 0; i < figures.size(); ++i) {
    std::vector<double> samples;
    for (const readings& one : cell.repetitions) samples.push_back(one.all()[i].value);
    result.measures[figures[i].name] = summarise(figures[i].unit, std::move(samples), seed);
  }
  return result;
}

// The cells of one place, all strategies and heaps: what is interleaved.
using group = std::vector<cell_state>;

std::vector<group> make_groups(const series_plan& plan, const std::set<series_key>& finished) {
  std::vector<group> groups;
  for (const planned_cell& cell : plan.cells) {
    if (finished.contains(cell.key)) continue;
    if (groups.empty() || groups.back()[0].plan->key.at != cell.key.at) groups.emplace_back();
    groups.back().push_back({&cell, {}, {}});
  }
  return groups;
}

std::string describe(const coordinates& at) {
  std::string text;
  for (const auto& [name, value] : at) text += fmt::format(" {}", to_string(value));
  return text.substr(at.empty() ? 0 : 1);
}

}  // namespace

bench_end run_series(const series_plan& plan, const std::vector<series_cell>& finished,
                     const series_events& events) {
  std::set<series_key> done;
  for (const series_cell& cell : finished) done.insert(cell.key());
  std::vector<group> groups = make_groups(plan, done);
  if (groups.empty()) return bench_end::finished;

  std::size_t repetitions = 0;
  double expected = 0;
  for (const group& cells : groups) {
    repetitions += cells.size() * plan.repetitions;
    for (const cell_state& cell : cells) {
      expected += cell.plan->expected_seconds * plan.repetitions;
    }
  }
  conditions ready(plan.heaps);
  pace clock(repetitions, expected, events.step);
  for (group& cells : groups) {
    const std::string doing = describe(cells[0].plan->key.at);
    const bool complete = interleave(cells, plan.repetitions, plan.seed, [&](cell_state& cell) {
      if (cell.error.empty()) {
        const auto one = ready.choose(cell.plan->key.heap).run(cell.plan->what, events.interrupted);
        if (events.interrupted && events.interrupted()) return false;
        add_repetition(cell, one);
      }
      clock.step(cell.plan->expected_seconds, doing);
      return true;
    });
    compare_checksums(cells);
    for (const cell_state& cell : cells) {
      if (cell.repetitions.empty() && cell.error.empty()) continue;
      events.cell(to_cell(cell, plan.seed));
    }
    if (!complete) return bench_end::interrupted;
  }
  return bench_end::finished;
}

}  // namespace mallard::lab
