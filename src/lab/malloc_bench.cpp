#include "lab/malloc_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "lab/interleave.hpp"
#include "lab/malloc_process.hpp"
#include "lab/pace.hpp"

namespace mallard::lab {
namespace {

constexpr malloc_bench all_benches[] = {
    malloc_bench::churn,  malloc_bench::thrash, malloc_bench::scratch, malloc_bench::speed,
    malloc_bench::memory, malloc_bench::larson, malloc_bench::mixed,   malloc_bench::remote_free};

// One allocator at one place, while it is measured.
struct place_state {
  const allocator_library* on;
  std::string error;
  std::vector<malloc_readings> repetitions;
};

series_cell make_cell(const malloc_plan& plan, const malloc_place& place,
                      const allocator_library& on) {
  series_cell cell;
  cell.bench = plan.bench;
  cell.at = place.at;
  cell.strategy = "AS1";
  cell.peer = "global";
  cell.heap = "clean";
  cell.malloc = on.name;
  return cell;
}

// The cell of one group of readings.
series_cell make_cell(const malloc_plan& plan, const malloc_place& place,
                      const allocator_library& on, std::size_t group) {
  series_cell cell = make_cell(plan, place, on);
  if (place.what.bench == malloc_bench::speed) {
    cell.at["chain"] = speed_chains[group].name;
  } else if (place.what.bench == malloc_bench::memory && group > 0) {
    cell.bench = memory_series;
    cell.at["point"] = static_cast<std::int64_t>(group - 1);
  }
  return cell;
}

// Those that must be there when nothing fails.
std::vector<std::size_t> groups_of(const malloc_job& what) {
  if (what.bench != malloc_bench::speed) return {0};
  std::vector<std::size_t> groups;
  for (std::size_t chain = 0; chain < speed_chains.size(); ++chain) {
    if (what.chains >> chain & 1U) groups.push_back(chain);
  }
  return groups;
}

std::vector<series_cell> failed_cells(const malloc_plan& plan, const malloc_place& place,
                                      const place_state& state) {
  std::vector<series_cell> cells;
  for (const std::size_t group : groups_of(place.what)) {
    cells.push_back(make_cell(plan, place, *state.on, group));
    cells.back().error = state.error;
  }
  return cells;
}

std::vector<series_cell> good_cells(const malloc_plan& plan, const malloc_place& place,
                                    const place_state& state) {
  // Of each group the samples of each figure, in the order of the repetitions.
  std::map<std::size_t, std::map<malloc_figure, std::vector<double>>> samples;
  for (const malloc_readings& repetition : state.repetitions) {
    for (const malloc_reading& one : repetition.all()) {
      // A time series is of one run: points of several are not at the same times.
      const bool of_series = place.what.bench == malloc_bench::memory && one.group > 0;
      if (of_series && &repetition != &state.repetitions.front()) continue;
      samples[one.group][one.what].push_back(one.value);
    }
  }
  std::vector<series_cell> cells;
  for (auto& [group, figures] : samples) {
    cells.push_back(make_cell(plan, place, *state.on, group));
    for (auto& [what, values] : figures) {
      cells.back().measures[std::string(name_of(what))] =
          summarise(unit_of(what), std::move(values), plan.seed);
    }
  }
  return cells;
}

bool is_finished(const malloc_plan& plan, const malloc_place& place, const allocator_library& on,
                 const std::set<series_key>& done) {
  const auto groups = groups_of(place.what);
  return std::all_of(groups.begin(), groups.end(), [&](std::size_t group) {
    return done.contains(make_cell(plan, place, on, group).key());
  });
}

std::string describe(const coordinates& at) {
  std::string text;
  for (const auto& [name, value] : at) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, to_string(value));
  }
  return text;
}

}  // namespace

bool is_malloc_bench(std::string_view bench) {
  return bench == memory_series ||
         std::any_of(std::begin(all_benches), std::end(all_benches),
                     [&](malloc_bench one) { return to_string(one) == bench; });
}

bench_end run_malloc_bench(const malloc_plan& plan, const std::vector<series_cell>& finished,
                           const bench_events<series_cell>& events) {
  std::set<series_key> done;
  for (const series_cell& cell : finished) done.insert(cell.key());
  std::vector<std::vector<place_state>> states(plan.places.size());
  std::size_t repetitions = 0;
  double expected = 0;
  for (std::size_t i = 0; i < plan.places.size(); ++i) {
    for (const allocator_library& on : plan.allocators) {
      if (is_finished(plan, plan.places[i], on, done)) continue;
      states[i].push_back({&on, {}, {}});
      repetitions += plan.repetitions;
      expected += plan.places[i].expected_seconds * plan.repetitions;
    }
  }
  if (repetitions == 0) return bench_end::finished;

  pace clock(repetitions, expected, events.step);
  for (std::size_t i = 0; i < plan.places.size(); ++i) {
    const malloc_place& place = plan.places[i];
    const std::string doing = describe(place.at);
    const auto once = [&](place_state& state) {
      if (state.error.empty()) {
        const malloc_outcome outcome = run_malloc_job(plan.program, *state.on, place.what,
                                                      plan.timeout_seconds, events.interrupted);
        if (events.interrupted && events.interrupted()) return false;
        if (outcome.ok()) {
          state.repetitions.push_back(outcome.measured);
        } else {
          state.error = outcome.error.data();
        }
      }
      clock.step(place.expected_seconds, doing);
      return true;
    };
    const bool complete = interleave(states[i], plan.repetitions, plan.seed, once);
    for (const place_state& state : states[i]) {
      if (state.error.empty() && state.repetitions.empty()) continue;
      const auto cells =
          state.error.empty() ? good_cells(plan, place, state) : failed_cells(plan, place, state);
      for (const series_cell& cell : cells) events.cell(cell);
    }
    if (!complete) return bench_end::interrupted;
  }
  return bench_end::finished;
}

}  // namespace mallard::lab
