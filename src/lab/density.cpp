#include "lab/density.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "lab/cell_group.hpp"

namespace mallard::lab {
namespace {

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

}  // namespace

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
  conditions ready(plan);
  pace clock(repetitions, expected, events);
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
