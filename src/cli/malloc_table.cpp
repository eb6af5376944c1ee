#include "cli/malloc_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "cli/series_layout.hpp"
#include "cli/terminal.hpp"
#include "lab/malloc_work/job.hpp"
#include "lab/statistics.hpp"

namespace mallard::cli {
namespace {

using lab::series_cell;

constexpr int width = 9;
constexpr int name_width = 18;

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

// Three significant digits, without an exponent.
std::string short_figure(double value) {
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return fmt::format("{:.{}f}", value, decimals);
}

// "malloc-realloc-free": "m-r-f"; a chain's place among the others.
struct column_key {
  lab::coordinate order;
  std::string text;
  friend bool operator<(const column_key& a, const column_key& b) { return a.order < b.order; }
};

column_key column_of(const series_cell& cell, const malloc_layout& how) {
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

// Empty where a cell failed.
using figure_row = std::map<column_key, std::optional<double>>;
using figure_grid = std::map<std::string, figure_row>;

std::optional<double> value_of(const series_cell& cell, const shown_figure& shown) {
  const double value = median_of(cell, shown.measure) * shown.scale;
  return cell.ok() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// One figure in the columns of the layout.
figure_grid make_grid(const std::vector<const series_cell*>& cells, const malloc_layout& how,
                      const shown_figure& shown) {
  figure_grid grid;
  for (const series_cell* cell : cells) {
    grid[cell->malloc][column_of(*cell, how)] = value_of(*cell, shown);
  }
  return grid;
}

// All figures, each a column.
figure_grid make_grid(const std::vector<const series_cell*>& cells, const malloc_layout& how) {
  figure_grid grid;
  for (const series_cell* cell : cells) {
    for (std::size_t i = 0; i < how.figures.size(); ++i) {
      const column_key column{static_cast<std::int64_t>(i), how.figures[i].title};
      grid[cell->malloc][column] = value_of(*cell, how.figures[i]);
    }
  }
  return grid;
}

// The best figure of each column.
std::map<column_key, double> best_of(const figure_grid& grid, bool more_is_better) {
  std::map<column_key, double> best;
  for (const auto& [name, row] : grid) {
    for (const auto& [column, value] : row) {
      if (!value || *value <= 0) continue;
      const auto [place, fresh] = best.try_emplace(column, *value);
      if (!fresh && (*value < place->second) != more_is_better) place->second = *value;
    }
  }
  return best;
}

// How many times worse than the best; 1 is the best.
double ratio_to(double best, double value, bool more_is_better) {
  return more_is_better ? best / value : value / best;
}

std::string mean_of(const std::vector<double>& ratios) {
  const std::string mean = ratios.empty() ? "-" : short_figure(lab::geometric_mean(ratios));
  return fmt::format("{:>{}}", mean, width);
}

// `with_mean`: the columns are of one figure.
std::string print_row(const std::string& name, const figure_row& row,
                      const std::vector<column_key>& columns,
                      const std::map<column_key, double>& best, bool more_is_better, bool with_mean,
                      bool colour) {
  std::string figures = fmt::format("{:<{}}", name, name_width);
  std::string ratios;
  std::vector<double> all;
  for (const column_key& column : columns) {
    const auto found = row.find(column);
    if (found == row.end()) {
      figures += fmt::format("{:>{}}", "", width);
      ratios += fmt::format("{:>{}}", "", width);
    } else if (!found->second) {
      figures += fmt::format("{:>{}}", "FAIL", width);
      ratios += fmt::format("{:>{}}", "-", width);
    } else {
      figures += fmt::format("{:>{}}", short_figure(*found->second), width);
      const auto top = best.find(column);
      if (top == best.end() || *found->second <= 0) {
        ratios += fmt::format("{:>{}}", "-", width);
        continue;
      }
      const double ratio = ratio_to(top->second, *found->second, more_is_better);
      all.push_back(ratio);
      const std::string shown = fmt::format("{:>{}}", short_figure(ratio), width);
      // Red is three times as bad, or worse.
      ratios += colour ? on_heat(shown, std::log(ratio) / std::log(3.0)) : shown;
    }
  }
  return fmt::format("{}   |{}{}\n", figures, ratios, with_mean ? mean_of(all) : "");
}

std::string print_grid(const figure_grid& grid, const std::vector<std::string>& names,
                       const malloc_layout& how, bool more_is_better, bool colour) {
  std::set<column_key> all;
  for (const auto& entry : grid) {
    for (const auto& cell : entry.second) all.insert(cell.first);
  }
  const std::vector<column_key> columns(all.begin(), all.end());
  std::string heads;
  for (const column_key& column : columns) heads += fmt::format("{:>{}}", column.text, width);
  std::string text = fmt::format("{:<{}}{}   |{}{}\n", how.columns ? how.columns : "", name_width,
                                 heads, heads, how.columns ? "   g.mean" : "");
  const auto best = best_of(grid, more_is_better);
  for (const std::string& name : names) {
    const auto row = grid.find(name);
    if (row != grid.end()) {
      text += print_row(name, row->second, columns, best, more_is_better, how.columns != nullptr,
                        colour);
    }
  }
  return text;
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
      text += fmt::format("\n{}{}: {}; right of the line times the best one's\n",
                          styled(key.first, style::bold, colour), where, shown);
    };
    if (!how.columns) {
      title("MiB and ms");
      text += print_grid(make_grid(members, how), names, how, false, colour);
      continue;
    }
    for (const shown_figure& shown : how.figures) {
      title(shown.title);
      text += print_grid(make_grid(members, how, shown), names, how, shown.more_is_better, colour);
    }
  }
  return text;
}

}  // namespace mallard::cli
