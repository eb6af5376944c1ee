#include "lab/results/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace mallard::lab {
namespace {

// The conditions that two runs must share for their cells to be in one data set.
auto conditions(const run_info& run) {
  return std::tie(run.machine.cpu, run.machine.cores, run.machine.memory_bytes, run.build.compiler,
                  run.build.flags, run.build.build_type, run.build.assertions, run.version,
                  run.mode);
}

// Cells of one bench are comparable only if everything outside their keys is equal.
bool were_measured_alike(const run_info& a, const run_info& b) {
  return a.bench != b.bench || a.parameters == b.parameters;
}

bool belongs_to(const run_info& run, const dataset& set) {
  return conditions(set.sources.front().run) == conditions(run) &&
         std::all_of(set.sources.begin(), set.sources.end(),
                     [&](const source& one) { return were_measured_alike(one.run, run); });
}

std::string describe(const dataset& set) {
  const run_info& run = set.sources.front().run;
  return fmt::format("{} × {}, {}, {} mode", run.machine.cores, run.machine.cpu, run.build.compiler,
                     run.mode);
}

class merger {
 public:
  void add(const result_file& file) {
    const std::string name = file.path.filename().string();
    for (const auto& warning : file.warnings) result_.notes.push_back(warning);
    if (file.cells.empty()) {
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
    // Sets with equal labels that differ otherwise get numbers.
    std::map<std::string, int> seen;
    for (dataset& set : result_.datasets) {
      set.label = describe(set);
      const int number = ++seen[set.label];
      if (number > 1) set.label += fmt::format(" ({})", number);
    }
    return std::move(result_);
  }

 private:
  std::size_t find_or_add(const run_info& run) {
    auto& sets = result_.datasets;
    const auto found = std::find_if(sets.begin(), sets.end(),
                                    [&](const dataset& one) { return belongs_to(run, one); });
    if (found != sets.end()) return static_cast<std::size_t>(found - sets.begin());
    sets.emplace_back();
    index_.emplace_back();
    return sets.size() - 1;
  }

  // Returns: how many cells replaced an earlier one.
  std::size_t add_cells(std::size_t place, const result_file& file) {
    dataset& set = result_.datasets[place];
    std::size_t replaced = 0;
    for (const cell_result& cell : file.cells) {
      const auto [position, fresh] = index_[place].try_emplace(cell.key(), set.cells.size());
      if (fresh) {
        set.cells.push_back(cell);
      } else {
        set.cells[position->second] = cell;
        ++replaced;
      }
    }
    return replaced;
  }

  merged_results result_;
  std::vector<std::map<cell_key, std::size_t>> index_;  // one for each data set
};

}  // namespace

merged_results merge(std::span<const result_file> files) {
  merger all;
  for (const auto& file : files) all.add(file);
  return all.finish();
}

std::vector<observation> observe(const dataset& set) {
  return observe(set.cells, set.sources.front().run.machine.cores);
}

}  // namespace mallard::lab
