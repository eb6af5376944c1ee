#include "cli/series_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "cli/series_layout.hpp"
#include "cli/terminal.hpp"
#include "lab/peers.hpp"
#include "lab/statistics.hpp"

namespace mallard::cli {
namespace {

using lab::series_cell;

// Of a column of this name.
std::size_t width_of(const label& column) {
  return std::max<std::size_t>(8, column.text.size() + 2);
}

// Three significant digits, without an exponent.
std::string short_figure(double value) {
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return fmt::format("{:.{}f}", value, decimals);
}

// Empty for a failed cell.
using grid_row = std::map<label, std::optional<double>>;
using grid = std::map<label, grid_row>;

grid make_grid(const std::vector<const series_cell*>& cells, const layout& how,
               const figure& shown) {
  grid made;
  for (const series_cell* cell : cells) {
    const double value = cell->ok() ? shown.value(*cell) : std::nan("");
    if (cell->ok() && !std::isfinite(value)) continue;  // has no such measure
    made[row_of(*cell, how)][column_of(*cell, how)] =
        cell->ok() ? std::optional(value) : std::nullopt;
  }
  return made;
}

// From the best to the worst figure of the row, on a scale of ratios.
double heat_of(double value, const grid_row& row, bool more_is_better) {
  double low = value;
  double high = value;
  for (const auto& entry : row) {
    if (!entry.second) continue;
    low = std::min(low, *entry.second);
    high = std::max(high, *entry.second);
  }
  if (!(low > 0 && high > low)) return 0;
  return std::log(more_is_better ? high / value : value / low) / std::log(high / low);
}

std::string print_grid(const grid& made, const layout& how, bool more_is_better, bool colour) {
  std::set<label> columns;
  for (const auto& row : made) {
    for (const auto& entry : row.second) columns.insert(entry.first);
  }
  std::string text = row_head(how);
  for (const label& column : columns) {
    text += fmt::format("{:>{}}", column.text, width_of(column));
  }
  text += '\n';
  for (const auto& [row, entries] : made) {
    text += row.text;
    for (const label& column : columns) {
      const std::size_t width = width_of(column);
      const auto found = entries.find(column);
      if (found == entries.end()) {
        text += fmt::format("{:>{}}", "", width);
      } else if (!found->second) {
        text += fmt::format("{:>{}}", "FAIL", width);
      } else {
        const std::string shown = fmt::format("{:>{}}", short_figure(*found->second), width);
        text += colour ? on_heat(shown, heat_of(*found->second, entries, more_is_better)) : shown;
      }
    }
    text += '\n';
  }
  return text;
}

// The cells of each table, in the order of their places: bench, place, heap and malloc.
using table_key = std::tuple<std::string, place, std::string, std::string>;

// Whether tables of the bench show cells of that library only.
bool is_of_one_library(across columns) {
  return columns == across::strategies || columns == across::threads;
}

}  // namespace

std::string describe_place(const lab::coordinates& at) {
  std::string text;
  for (const auto& [name, value] : at) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, lab::to_string(value));
  }
  return text;
}

bool is_shown(const series_cell& cell, std::string_view peer) {
  return cell.peer == peer || !is_of_one_library(layout_of(cell).columns);
}

std::string series_tables(const std::vector<series_cell>& cells, std::string_view peer,
                          bool colour) {
  std::map<table_key, std::vector<const series_cell*>> tables;
  for (const series_cell& cell : cells) {
    if (!is_shown(cell, peer) && cell.peer != lab::global_peer) continue;
    const layout how = layout_of(cell);
    tables[{cell.bench, pick(cell, how.tables), cell.heap, cell.malloc}].push_back(&cell);
  }
  std::string text;
  for (const auto& [key, members] : tables) {
    const layout how = layout_of(*members.front());
    const auto& [bench, at, heap, malloc] = key;
    for (const figure& shown : how.figures) {
      // A measure that no cell of the table has, or the first of the bench, whose cells then
      // failed.
      const bool any = std::any_of(members.begin(), members.end(), [&](const series_cell* cell) {
        return std::isfinite(shown.value(*cell));
      });
      if (!any && &shown != &how.figures.front()) continue;
      text += fmt::format("\n{}{}, {} heap", styled(bench, style::bold, colour),
                          at.empty() ? "" : fmt::format(", {}", join(how.tables, at)), heap);
      text += fmt::format(", {}", malloc);
      if (is_of_one_library(how.columns)) text += fmt::format(", {}", peer);
      text += fmt::format(": {}\n", shown.title);
      text += print_grid(make_grid(members, how, shown), how, shown.more_is_better, colour);
    }
  }
  return text;
}

namespace {

// How many times as fast as the base of their bench cells are, by what is named in a row and in a
// column.
using ratio_rows = std::map<label, std::map<std::string, std::vector<double>>>;

// A table for each heap and base. Strategies have a column for each library, all else for each
// bench.
std::string print_ratios(const ratio_rows& rows) {
  std::set<std::string> columns;
  std::size_t width = 6;
  for (const auto& row : rows) {
    width = std::max(width, row.first.text.size() + 1);
    for (const auto& entry : row.second) columns.insert(entry.first);
  }
  const auto width_of = [](const std::string& name) {
    return std::max<std::size_t>(9, name.size() + 2);
  };
  std::string text = fmt::format("{:<{}}", "", width);
  for (const std::string& name : columns) text += fmt::format("{:>{}}", name, width_of(name));
  text += '\n';
  for (const auto& [name, ratios] : rows) {
    text += fmt::format("{:<{}}", name.text, width);
    for (const std::string& column : columns) {
      const auto found = ratios.find(column);
      text += fmt::format(
          "{:>{}}", found == ratios.end() ? "-" : short_figure(lab::geometric_mean(found->second)),
          width_of(column));
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string series_speed_ups(const std::vector<series_cell>& cells) {
  using where = std::tuple<std::string, lab::coordinates, std::string, std::string>;
  const auto place_of = [](const series_cell& cell) {
    return where{cell.bench, cell.at, cell.heap, cell.malloc};
  };
  std::map<where, const series_cell*> base;
  for (const series_cell& cell : cells) {
    const across columns = layout_of(cell).columns;
    if (cell.ok() && column_id(cell, columns) == base_column(columns)) {
      base[place_of(cell)] = &cell;
    }
  }
  std::map<std::pair<std::string_view, std::string>, ratio_rows> tables;  // by base and heap
  for (const series_cell& cell : cells) {
    const layout how = layout_of(cell);
    if (!cell.ok() || how.columns == across::threads) continue;
    const std::string_view against = base_column(how.columns);
    const auto found = base.find(place_of(cell));
    if (column_id(cell, how.columns) == against || found == base.end()) continue;
    const double ratio = median_of(*found->second, how.measure) / median_of(cell, how.measure);
    if (!std::isfinite(ratio) || ratio <= 0) continue;
    tables[{against, cell.heap}][column_of(cell, how)]
          [how.columns == across::strategies ? cell.peer : cell.bench]
              .push_back(ratio);
  }
  std::string text;
  for (const auto& [key, rows] : tables) {
    const auto& [against, heap] = key;
    text += fmt::format("\nTimes as fast as {}, {} heap, geometric mean\n",
                        against == "AS1" ? "the global heap (AS1)" : against, heap);
    text += print_ratios(rows);
  }
  return text;
}

}  // namespace mallard::cli
