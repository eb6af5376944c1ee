#include "lab/density.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lab/cell_group.hpp"
#include "lab/pace.hpp"

namespace mallard::lab {
void compare_checksums(std::vector<cell_result>& cells, const std::vector<cell_result>& others) {
  using where = std::pair<std::string, int>;
  std::map<where, std::map<std::string, std::size_t>> votes;
  const auto count = [&](const std::vector<cell_result>& some) {
    for (const cell_result& cell : some) {
      if (cell.ok()) ++votes[{cell.key.ds, cell.key.size}][cell.checksum];
    }
  };
  count(others);
  count(cells);
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

  std::vector<cell_group> groups;
  std::size_t repetitions = 0;
  double expected = 0;
  for (const structure* ds : plan.structures) {
    for (const int size : plan.sizes) {
      groups.emplace_back(plan, *ds, size, done);
      repetitions += groups.back().repetitions();
      expected += groups.back().expected_seconds();
    }
  }

  if (repetitions == 0) return density_end::finished;
  conditions ready(plan.heaps, plan.choices == mode::paper);
  pace clock(repetitions, expected, events.step);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string_view doing = plan.structures[i / plan.sizes.size()]->name;
    const bool complete = groups[i].measure(ready, events.interrupted,
                                            [&](double seconds) { clock.step(seconds, doing); });
    std::vector<cell_result> results = groups[i].take_results();
    compare_checksums(results, finished);
    for (const cell_result& cell : results) events.cell(cell);
    if (!complete) return density_end::interrupted;
  }
  return density_end::finished;
}

}  // namespace mallard::lab
