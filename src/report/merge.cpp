#include "report/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace mallard::report {
namespace {

// What two runs must have in common for their cells to be of one data set.
auto conditions(const lab::run_info& run) {
  return std::tie(run.machine.cpu, run.machine.cores, run.machine.memory_bytes, run.build.compiler,
                  run.build.flags, run.build.build_type, run.build.assertions, run.version,
                  run.mode);
}

// Leaf insertions of the set's cells of Benchmark I; 0 while it has none.
std::uint64_t leaves_of(const dataset& set) {
  for (const source& one : set.sources) {
    if (one.run.bench == "density") return one.run.leaves;
  }
  return 0;
}

bool belongs_to(const lab::run_info& run, const dataset& set) {
  if (conditions(set.sources.front().run) != conditions(run)) return false;
  const std::uint64_t leaves = leaves_of(set);
  return run.bench != "density" || leaves == 0 || leaves == run.leaves;
}

std::string describe(const dataset& set) {
  const lab::run_info& run = set.sources.front().run;
  std::string text = fmt::format("{} × {}, {}, {} mode", run.machine.cores, run.machine.cpu,
                                 run.build.compiler, run.mode);
  const std::uint64_t leaves = leaves_of(set);
  if (leaves > 0) text += fmt::format(", {} leaves", leaves);
  return text;
}

using density_key = std::pair<lab::cell_key, std::string>;

// Where in a data set each cell lies.
struct index {
  std::map<density_key, std::size_t> density;
  std::map<lab::series_key, std::size_t> series;
};

// Adds a cell or replaces the earlier one in the same place; whether it replaced one.
template <class Key, class Cell>
bool put(std::map<Key, std::size_t>& places, const Key& key, std::vector<Cell>& cells, Cell cell) {
  const auto [position, fresh] = places.try_emplace(key, cells.size());
  if (fresh) {
    cells.push_back(std::move(cell));
  } else {
    cells[position->second] = std::move(cell);
  }
  return !fresh;
}

class merger {
 public:
  void add(const lab::result_file& file) {
    const std::string name = file.path.filename().string();
    for (const auto& warning : file.warnings) result_.notes.push_back(warning);
    if (file.cells.empty() && file.series.empty()) {
      result_.notes.push_back(fmt::format("{} holds no cells and was left out.", name));
      return;
    }
    const std::size_t place = find_or_add(file.run);
    result_.datasets[place].sources.push_back({name, file.run});
    const std::size_t replaced = add_cells(place, file);
    if (replaced > 0) {
      result_.notes.push_back(fmt::format(
          "{} of the cells of earlier files were replaced by those of {}.", replaced, name));
    }
  }

  merged_results finish() {
    if (result_.datasets.empty()) throw std::runtime_error("the result files hold no cells");
    // Sets that differ in something the label does not say are told apart by a number.
    std::map<std::string, int> seen;
    for (dataset& set : result_.datasets) {
      set.label = describe(set);
      const int number = ++seen[set.label];
      if (number > 1) set.label += fmt::format(" ({})", number);
    }
    return std::move(result_);
  }

 private:
  std::size_t find_or_add(const lab::run_info& run) {
    auto& sets = result_.datasets;
    const auto found = std::find_if(sets.begin(), sets.end(),
                                    [&](const dataset& one) { return belongs_to(run, one); });
    if (found != sets.end()) return static_cast<std::size_t>(found - sets.begin());
    sets.emplace_back();
    index_.emplace_back();
    return sets.size() - 1;
  }

  // Returns how many cells took the place of an earlier one.
  std::size_t add_cells(std::size_t place, const lab::result_file& file) {
    dataset& set = result_.datasets[place];
    std::size_t replaced = 0;
    for (const lab::cell_result& cell : file.cells) {
      replaced += put(index_[place].density, {cell.key, file.run.malloc}, set.cells,
                      density_cell{cell, file.run.malloc});
    }
    for (const lab::series_cell& cell : file.series) {
      replaced += put(index_[place].series, cell.key(), set.series, cell);
    }
    return replaced;
  }

  merged_results result_;
  std::vector<index> index_;  // one per data set
};

}  // namespace

merged_results merge(std::span<const lab::result_file> files) {
  merger all;
  for (const auto& file : files) all.add(file);
  return all.finish();
}

std::vector<lab::observation> observe(const dataset& set) {
  std::map<std::string, std::vector<lab::cell_result>> by_malloc;
  for (const density_cell& cell : set.cells) by_malloc[cell.malloc].push_back(cell);
  std::vector<lab::observation> seen;
  const auto append = [&](std::vector<lab::observation> more) {
    seen.insert(seen.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
  };
  for (const auto& [malloc, cells] : by_malloc) append(lab::observe(cells, malloc));
  append(lab::observe(set.series, set.sources.front().run.machine.cores));
  return seen;
}

}  // namespace mallard::report
