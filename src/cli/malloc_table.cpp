#include "cli/malloc_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "cli/malloc_grid.hpp"
#include "cli/series_layout.hpp"
#include "cli/terminal.hpp"
#include "lab/malloc_work/job.hpp"

namespace mallard::cli {
namespace {

using lab::series_cell;

// One figure of a bench's cells.
struct shown_figure {
  const char* title;
  const char* measure;
  double scale;
  bool more_is_better = false;
};

// Which coordinate makes the columns (null: the figures do), and what is shown.
struct malloc_layout {
  std::string_view bench;
  const char* columns;
  std::vector<shown_figure> figures;
};

constexpr double mebi = 1.0 / (1 << 20);

const std::vector<malloc_layout>& layouts() {
  static const shown_figure memory = {"peak resident set, MiB", "rss", mebi};
  static const std::vector<malloc_layout> all = {
      {"churn", "threads", {{"time, ms", "time", 1e3}, memory}},
      {"thrash", "threads", {{"time, ms", "time", 1e3}}},
      {"scratch", "threads", {{"time, ms", "time", 1e3}}},
      {"speed", "chain", {{"ns per call of a thread", "per_op", 1e9}}},
      {"memory",
       nullptr,
       {{"RSS peak", "peak_rss", mebi},
        {"RSS end", "end_rss", mebi},
        {"dyn.peak", "peak_dynamic", mebi},
        {"dyn. end", "end_dynamic", mebi},
        {"time", "time", 1e3}}},
      {"larson", "threads", {{"million replacements a second", "throughput", 1e-6, true}, memory}},
      {"remote-free", "threads", {{"ns per block", "per_op", 1e9}, memory}},
      {"mixed-malloc",
       "threads",
       {{"time, ms", "time", 1e3},
        {"malloc, 99.9th percentile, ns", "malloc_p999", 1e9},
        {"free, 99.9th percentile, ns", "free_p999", 1e9},
        memory}},
  };
  return all;
}

const malloc_layout* find_layout(std::string_view bench) {
  const auto found = std::find_if(layouts().begin(), layouts().end(),
                                  [&](const auto& one) { return one.bench == bench; });
  return found == layouts().end() ? nullptr : &*found;
}

// A chain is shortened, "malloc-realloc-free" to "m-r-f", and has its place among the others.
malloc_column column_of(const series_cell& cell, const malloc_layout& how) {
  const auto found = cell.at.find(how.columns);
  if (found == cell.at.end()) return {std::int64_t{0}, "?"};
  if (std::string_view(how.columns) != "chain") {
    return {found->second, lab::to_string(found->second)};
  }
  const std::string name = lab::to_string(found->second);
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (i == 0 || name[i - 1] == '-') text += fmt::format("{}{}", i == 0 ? "" : "-", name[i]);
  }
  const auto& chains = lab::speed_chains;
  const auto* place =
      std::find_if(chains.begin(), chains.end(), [&](const auto& one) { return one.name == name; });
  return {static_cast<std::int64_t>(place - chains.begin()), text};
}

std::optional<double> value_of(const series_cell& cell, const shown_figure& shown) {
  const double value = median_of(cell, shown.measure) * shown.scale;
  return cell.ok() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// One figure in the columns of the layout.
malloc_grid make_grid(const std::vector<const series_cell*>& cells, const malloc_layout& how,
                      const shown_figure& shown) {
  malloc_grid grid(how.columns, shown.more_is_better);
  for (const series_cell* cell : cells) {
    grid.add(cell->malloc, column_of(*cell, how), value_of(*cell, shown));
  }
  return grid;
}

// All figures, each a column.
malloc_grid make_grid(const std::vector<const series_cell*>& cells, const malloc_layout& how) {
  malloc_grid grid("", false);
  for (const series_cell* cell : cells) {
    for (std::size_t i = 0; i < how.figures.size(); ++i) {
      const malloc_column column{static_cast<std::int64_t>(i), how.figures[i].title};
      grid.add(cell->malloc, column, value_of(*cell, how.figures[i]));
    }
  }
  return grid;
}

}  // namespace

std::string malloc_tables(const std::vector<series_cell>& cells, bool colour) {
  // By bench, and by everything but the columns; allocators in the order in which they come.
  std::map<std::pair<std::string, lab::coordinates>, std::vector<const series_cell*>> tables;
  std::vector<std::string> names;
  for (const series_cell& cell : cells) {
    const malloc_layout* how = find_layout(cell.bench);
    if (!how) continue;
    lab::coordinates at = cell.at;
    if (how->columns) at.erase(how->columns);
    tables[{cell.bench, at}].push_back(&cell);
    if (std::find(names.begin(), names.end(), cell.malloc) == names.end()) {
      names.push_back(cell.malloc);
    }
  }
  std::string text;
  for (const auto& [key, members] : tables) {
    const malloc_layout& how = *find_layout(key.first);
    std::string where;
    for (const auto& [name, value] : key.second) {
      where += fmt::format(", {} {}", name, lab::to_string(value));
    }
    const auto title = [&](const char* shown) {
      text += fmt::format("\n{}{}: {}, and times the best one's\n",
                          styled(key.first, style::bold, colour), where, shown);
    };
    if (!how.columns) {
      title("MiB and ms");
      text += make_grid(members, how).text(names, false, colour);
      continue;
    }
    for (const shown_figure& shown : how.figures) {
      title(shown.title);
      text += make_grid(members, how, shown).text(names, true, colour);
    }
  }
  return text;
}

}  // namespace mallard::cli
