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

constexpr int width = 8;

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
    made[row_of(*cell, how)][column_of(*cell, how)] =
        std::isfinite(value) ? std::optional(value) : std::nullopt;
  }
  return made;
}

// From the best to the worst figure of the row, on a scale of ratios.
double heat_of(double value, const grid_row& row) {
  double low = value;
  double high = value;
  for (const auto& entry : row) {
    if (!entry.second) continue;
    low = std::min(low, *entry.second);
    high = std::max(high, *entry.second);
  }
  return low > 0 && high > low ? std::log(value / low) / std::log(high / low) : 0;
}

std::string print_grid(const grid& made, const layout& how, bool colour) {
  std::set<label> columns;
  for (const auto& row : made) {
    for (const auto& entry : row.second) columns.insert(entry.first);
  }
  std::string text;
  if (how.columns) {
    text += fmt::format("{:<38}", how.columns);
  } else {
    for (const char* name : how.rows) text += fmt::format("{:<11}", name);
  }
  for (const label& column : columns) text += fmt::format("{:>{}}", column.text, width);
  text += '\n';
  for (const auto& [row, entries] : made) {
    text += row.text;
    for (const label& column : columns) {
      const auto found = entries.find(column);
      if (found == entries.end()) {
        text += fmt::format("{:>{}}", "", width);
      } else if (!found->second) {
        text += fmt::format("{:>{}}", "FAIL", width);
      } else {
        const std::string shown = fmt::format("{:>{}}", short_figure(*found->second), width);
        text += colour ? on_heat(shown, heat_of(*found->second, entries)) : shown;
      }
    }
    text += '\n';
  }
  return text;
}

// The cells of each table, in the order of their places.
using table_key = std::tuple<std::string, place, std::string, std::string>;

}  // namespace

std::string describe_place(const lab::coordinates& at) {
  std::string text;
  for (const auto& [name, value] : at) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, lab::to_string(value));
  }
  return text;
}

std::string series_tables(const std::vector<series_cell>& cells, std::string_view peer,
                          bool colour) {
  std::map<table_key, std::vector<const series_cell*>> tables;
  for (const series_cell& cell : cells) {
    if (cell.peer != peer && cell.peer != lab::global_peer) continue;
    tables[{cell.bench, pick(cell, layout_of(cell).tables), cell.heap, cell.malloc}].push_back(
        &cell);
  }
  std::string text;
  for (const auto& [key, members] : tables) {
    const layout how = layout_of(*members.front());
    const auto& [bench, at, heap, malloc] = key;
    for (const figure& shown : how.figures) {
      const std::string where = at.empty() ? "" : fmt::format(", {}", join(how.tables, at));
      text += fmt::format("\n{}{}, {} heap, {}, {}: {}\n", styled(bench, style::bold, colour),
                          where, heap, malloc, peer, shown.title);
      text += print_grid(make_grid(members, how, shown), how, colour);
    }
  }
  return text;
}

std::string series_speed_ups(const std::vector<series_cell>& cells) {
  using where = std::tuple<std::string, lab::coordinates, std::string, std::string>;
  const auto place_of = [](const series_cell& cell) {
    return where{cell.bench, cell.at, cell.heap, cell.malloc};
  };
  std::map<where, const series_cell*> base;
  for (const series_cell& cell : cells) {
    if (cell.ok() && cell.strategy == "AS1") base[place_of(cell)] = &cell;
  }
  // By heap, then by strategy and peer.
  std::map<std::string, std::map<label, std::map<std::string, std::vector<double>>>> ratios;
  for (const series_cell& cell : cells) {
    const layout how = layout_of(cell);
    const auto global = base.find(place_of(cell));
    if (!cell.ok() || cell.strategy == "AS1" || how.columns || global == base.end()) continue;
    const double ratio = median_of(*global->second, how.measure) / median_of(cell, how.measure);
    if (!std::isfinite(ratio) || ratio <= 0) continue;
    ratios[cell.heap][column_of(cell, how)][cell.peer].push_back(ratio);
  }
  std::string text;
  for (const auto& [heap, strategies] : ratios) {
    std::set<std::string> peers;
    for (const auto& row : strategies) {
      for (const auto& entry : row.second) peers.insert(entry.first);
    }
    text += fmt::format("\nTimes as fast as the global heap (AS1), {} heap, geometric mean\n{:<6}",
                        heap, "");
    for (const std::string& peer : peers) text += fmt::format("{:>9}", peer);
    text += '\n';
    for (const auto& [strategy, by_peer] : strategies) {
      text += fmt::format("{:<6}", strategy.text);
      for (const std::string& peer : peers) {
        const auto found = by_peer.find(peer);
        text += fmt::format("{:>9}", found == by_peer.end()
                                         ? "-"
                                         : short_figure(lab::geometric_mean(found->second)));
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace mallard::cli
