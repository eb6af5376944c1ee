#include "report/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

namespace mallard::report {
namespace {

// What two runs must have in common for their cells to be of one table.
auto conditions(const lab::run_info& run) {
  return std::tie(run.machine.cpu, run.machine.cores, run.machine.memory_bytes, run.build.compiler,
                  run.build.flags, run.build.build_type, run.build.assertions, run.version,
                  run.mode, run.leaves);
}

std::string describe(const lab::run_info& run) {
  return fmt::format("{} × {}, {}, {} mode, {} leaves", run.machine.cores, run.machine.cpu,
                     run.build.compiler, run.mode, run.leaves);
}

class merger {
 public:
  void add(const lab::result_file& file) {
    const std::string name = file.path.filename().string();
    if (file.run.bench != "density") {
      throw std::runtime_error(fmt::format("{}: benchmark '{}' has no place in the report",
                                           file.path.string(), file.run.bench));
    }
    for (const auto& warning : file.warnings) result_.notes.push_back(warning);
    if (file.cells.empty()) {
      result_.notes.push_back(fmt::format("{} holds no cells and was left out.", name));
      return;
    }
    const std::size_t place = find_or_add(file.run);
    result_.datasets[place].sources.push_back({name, file.run});
    const std::size_t replaced = add_cells(place, file.cells);
    if (replaced > 0) {
      result_.notes.push_back(fmt::format(
          "{} of the cells of earlier files were replaced by those of {}.", replaced, name));
    }
  }

  merged_results finish() {
    if (result_.datasets.empty()) throw std::runtime_error("the result files hold no cells");
    return std::move(result_);
  }

 private:
  std::size_t find_or_add(const lab::run_info& run) {
    auto& sets = result_.datasets;
    const auto found = std::find_if(sets.begin(), sets.end(), [&](const dataset& one) {
      return conditions(one.sources.front().run) == conditions(run);
    });
    if (found != sets.end()) return static_cast<std::size_t>(found - sets.begin());

    // Sets that differ in something the label does not say are told apart by a number.
    std::string label = describe(run);
    const auto twins = std::count_if(
        sets.begin(), sets.end(), [&](const dataset& one) { return one.label.starts_with(label); });
    if (twins > 0) label += fmt::format(" ({})", twins + 1);
    sets.push_back({std::move(label), {}, {}});
    index_.emplace_back();
    return sets.size() - 1;
  }

  // Returns how many cells took the place of an earlier one.
  std::size_t add_cells(std::size_t place, const std::vector<lab::cell_result>& cells) {
    auto& known = result_.datasets[place].cells;
    std::size_t replaced = 0;
    for (const auto& cell : cells) {
      const auto [position, fresh] = index_[place].try_emplace(cell.key, known.size());
      if (fresh) {
        known.push_back(cell);
      } else {
        known[position->second] = cell;
        ++replaced;
      }
    }
    return replaced;
  }

  merged_results result_;
  std::vector<std::map<lab::cell_key, std::size_t>> index_;  // one per data set
};

}  // namespace

merged_results merge(std::span<const lab::result_file> files) {
  merger all;
  for (const auto& file : files) all.add(file);
  return all.finish();
}

}  // namespace mallard::report
