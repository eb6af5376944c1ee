#include "cli/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/units.hpp"
#include "cli/layout.hpp"
#include "cli/rivals_grid.hpp"
#include "cli/terminal.hpp"
#include "cli/text_table.hpp"
#include "lab/measuring/statistics.hpp"
#include "lab/measuring/strategies.hpp"

namespace mallard::cli {
namespace {

using lab::cell_result;
using members = std::vector<const cell_result*>;

// Empty for a failed cell.
using grid_row = std::map<label, std::optional<double>>;
using grid = std::map<label, grid_row>;

std::optional<double> shown_value(const lab::figure_kind& shown, const cell_result& cell) {
  const double value = cell.ok() ? value_of(shown, cell) : std::nan("");
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

grid make_grid(const members& cells, const lab::bench& of, const lab::figure_kind& shown) {
  grid made;
  for (const cell_result* cell : cells) {
    const auto value = shown_value(shown, *cell);
    if (cell->ok() && !value) continue;  // has no such measure
    made[row_of(*cell, of)][column_of(*cell, of)] = value;
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

std::string print_grid(const grid& made, const lab::bench& of, bool more_is_better, bool colour) {
  std::set<label> columns;
  for (const auto& row : made) {
    for (const auto& entry : row.second) columns.insert(entry.first);
  }
  std::vector<text_table::column> heads = {{row_head(of), text_table::left}};
  for (const label& column : columns) heads.push_back({column.text, text_table::right, 6});
  text_table table(std::move(heads));
  for (const auto& [row, entries] : made) {
    std::vector<std::string> cells = {row.text};
    for (const label& column : columns) {
      const auto found = entries.find(column);
      if (found == entries.end()) {
        cells.emplace_back();
      } else if (!found->second) {
        cells.emplace_back("FAIL");
      } else {
        const std::string shown = base::figure_text(*found->second);
        cells.push_back(colour ? on_heat(shown, heat_of(*found->second, entries, more_is_better))
                               : shown);
      }
    }
    table.add(std::move(cells));
  }
  return table.text(false);
}

// A figure that no cell of the table has is left out, but for the first of the bench, whose cells
// then failed.
bool is_worth_showing(const members& cells, const lab::figure_kind& shown, bool is_first) {
  return is_first || std::any_of(cells.begin(), cells.end(), [&](const cell_result* cell) {
           return shown_value(shown, *cell).has_value();
         });
}

// Returns a table for each figure of one bench, place, heap and malloc.
std::string strategy_tables(const members& cells, const lab::bench& of, const lab::place& at,
                            std::string_view peer, bool colour) {
  std::string text;
  for (const lab::figure_kind& shown : of.figures) {
    if (!is_worth_showing(cells, shown, &shown == &of.figures.front())) continue;
    text += fmt::format("\n{}", styled(of.name, style::bold, colour));
    if (!at.empty()) text += fmt::format(", {}", lab::to_string(at));
    text += fmt::format(", {} heap, {}", cells.front()->heap, cells.front()->malloc);
    if (is_of_one_library(of)) text += fmt::format(", {}", peer);
    text += fmt::format(": {}\n", shown.title);
    text += print_grid(make_grid(cells, of, shown), of, shown.which == lab::better::more, colour);
  }
  return text;
}

// Rows are mallocs, in the order of `names`.
std::string malloc_tables(const members& cells, const lab::bench& of, const lab::place& at,
                          const std::vector<std::string>& names, bool colour) {
  std::string text;
  const auto title = [&](std::string_view shown) {
    text += fmt::format("\n{}", styled(of.name, style::bold, colour));
    if (!at.empty()) text += fmt::format(", {}", lab::to_string(at));
    text += fmt::format(": {}, and times the best one's\n", shown);
  };
  if (of.table.columns == lab::across::figures) {
    rivals_grid made("", false);
    for (const cell_result* cell : cells) {
      for (std::size_t i = 0; i < of.figures.size(); ++i) {
        const label column{{static_cast<std::int64_t>(i)}, of.figures[i].title};
        made.add(cell->malloc, column, shown_value(of.figures[i], *cell));
      }
    }
    title(of.table.units);
    return text + made.text(names, false, colour);
  }
  for (const lab::figure_kind& shown : of.figures) {
    rivals_grid made(of.table.along, shown.which == lab::better::more);
    for (const cell_result* cell : cells) {
      made.add(cell->malloc, column_of(*cell, of), shown_value(shown, *cell));
    }
    title(shown.title);
    text += made.text(names, true, colour);
  }
  return text;
}

// Returns the part of a cell's place that gives it a table of its own.
lab::place table_place(const cell_result& cell, const lab::bench& of) {
  lab::place at;
  const bool of_mallocs = of.contenders.kind == lab::rivals::mallocs;
  for (const auto& [name, value] : cell.at) {
    const bool own = of_mallocs ? name != of.table.along
                                : std::find(of.table.tables.begin(), of.table.tables.end(), name) !=
                                      of.table.tables.end();
    if (own) at[name] = value;
  }
  return at;
}

// Ratios of the base's time to the cells' own, by row and column.
using ratio_rows = std::map<label, std::map<std::string, std::vector<double>>>;

// A column for each library, or each bench.
std::string print_ratios(const ratio_rows& rows) {
  std::set<std::string> columns;
  for (const auto& row : rows) {
    for (const auto& entry : row.second) columns.insert(entry.first);
  }
  std::vector<text_table::column> heads = {{"", text_table::left}};
  for (const std::string& name : columns) heads.push_back({name, text_table::right, 7});
  text_table table(std::move(heads));
  for (const auto& [name, ratios] : rows) {
    std::vector<std::string> cells = {name.text};
    for (const std::string& column : columns) {
      const auto found = ratios.find(column);
      cells.push_back(
          found == ratios.end() ? "-" : base::figure_text(lab::geometric_mean(found->second)));
    }
    table.add(std::move(cells));
  }
  return table.text(false);
}

// With what a strategy of Table 1 is.
label described(label who) {
  const lab::strategy* known = lab::find_strategy(who.text);
  if (!known) return who;
  who.text = fmt::format("{:<6}{}, {}, {}", known->name, lab::to_string(known->what),
                         known->how == lab::binding::abstract_base ? "base" : "direct",
                         known->end == lab::destruction::normal ? "destroyed" : "winked");
  return who;
}

}  // namespace

bool is_shown(const cell_result& cell, std::string_view peer) {
  const lab::bench* of = bench_of(cell);
  return of && (cell.peer == peer || !is_of_one_library(*of));
}

std::string tables(const std::vector<cell_result>& cells, std::string_view peer, bool colour) {
  using table_key = std::tuple<std::string, lab::place, std::string, std::string>;
  std::map<table_key, members> all;
  std::vector<std::string> mallocs;  // in the order in which they come
  for (const cell_result& cell : cells) {
    const lab::bench* of = bench_of(cell);
    if (!of || (!is_shown(cell, peer) && cell.peer != lab::global_peer)) continue;
    const bool of_mallocs = of->contenders.kind == lab::rivals::mallocs;
    all[{cell.bench, table_place(cell, *of), cell.heap, of_mallocs ? "" : cell.malloc}].push_back(
        &cell);
    if (std::find(mallocs.begin(), mallocs.end(), cell.malloc) == mallocs.end()) {
      mallocs.push_back(cell.malloc);
    }
  }
  std::string text;
  for (const auto& [key, found] : all) {
    const lab::bench& of = *bench_of(*found.front());
    const lab::place& at = std::get<1>(key);
    text += of.contenders.kind == lab::rivals::mallocs
                ? malloc_tables(found, of, at, mallocs, colour)
                : strategy_tables(found, of, at, peer, colour);
  }
  return text;
}

std::string speed_ups(const std::vector<cell_result>& cells) {
  using where = std::tuple<std::string, lab::place, std::string, std::string>;
  const auto place_of = [](const cell_result& cell) {
    return where{cell.bench, cell.at, cell.heap, cell.malloc};
  };
  const auto compares = [](const lab::bench* of) {
    return of && of->contenders.kind != lab::rivals::mallocs &&
           of->table.columns != lab::across::along;
  };
  std::map<where, const cell_result*> base;
  for (const cell_result& cell : cells) {
    const lab::bench* of = bench_of(cell);
    if (compares(of) && cell.ok() && is_base(cell, *of)) base[place_of(cell)] = &cell;
  }
  std::map<std::pair<std::string, std::string>, ratio_rows> found_tables;  // by base and heap
  for (const cell_result& cell : cells) {
    const lab::bench* of = bench_of(cell);
    if (!compares(of) || !cell.ok() || is_base(cell, *of)) continue;
    const auto found = base.find(place_of(cell));
    if (found == base.end()) continue;
    const double ratio = found->second->median_of(of->main) / cell.median_of(of->main);
    if (!std::isfinite(ratio) || ratio <= 0) continue;
    const bool by_library = is_of_one_library(*of);
    const std::string against =
        by_library ? "the global heap (AS1)"
                   : lab::column_name(found->second->strategy, found->second->peer);
    label row = contender_label(cell, *of);
    if (by_library) row = described(std::move(row));
    found_tables[{against, cell.heap}][row][by_library ? cell.peer : cell.bench].push_back(ratio);
  }
  std::string text;
  for (const auto& [key, rows] : found_tables) {
    text += fmt::format("\nTimes as fast as {}, {} heap, geometric mean\n", key.first, key.second);
    text += print_ratios(rows);
  }
  return text;
}

}  // namespace mallard::cli
