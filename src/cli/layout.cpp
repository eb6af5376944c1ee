#include "cli/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>

#include "lab/measuring/strategies.hpp"

namespace mallard::cli {
namespace {

using lab::cell_result;

// Units in tables: how a measure is scaled, and what it is then called.
struct shown_unit {
  std::string_view unit;
  double scale;
  const char* name;
};
constexpr shown_unit units[] = {{"s", 1e3, ", ms"}, {"B", 1.0 / (1 << 20), ", MiB"}};

lab::figure_kind guess_figure(const std::string& name, const lab::measure& one) {
  lab::figure_kind made{.title = name, .measure = name};
  for (const shown_unit& known : units) {
    if (known.unit != one.unit) continue;
    made.scale = known.scale;
    made.title += known.name;
  }
  made.which = one.which.value_or(one.unit == "1/s" ? lab::better::more : lab::better::less);
  return made;
}

// A bench that this program does not know.
lab::bench guess_bench(const cell_result& cell) {
  lab::bench guessed;
  guessed.name = cell.bench;
  for (const auto& entry : cell.at) guessed.table.rows.push_back(entry.first);
  for (const auto& [name, one] : cell.measures) {
    guessed.figures.push_back(guess_figure(name, one));
    guessed.measures.push_back({name, one.unit, name, guessed.figures.back().which});
  }
  if (!cell.measures.empty() && !cell.find("time")) guessed.main = cell.measures.begin()->first;
  guessed.contenders.kind = lab::rivals::columns;
  guessed.table.columns = lab::across::columns;
  return guessed;
}

// Those of P0089R1 in the order of its Table 1, then the others from what everybody has to what few
// have.
std::size_t rank_of(std::string_view strategy) {
  constexpr std::array<std::string_view, 19> others = {
      "sync",      "mutex",  "std",  "realloc",   "remap",    "v1",           "v2-none",
      "v2-bwd",    "v2-fwd", "v2",   "adaptive1", "adaptive", "own-adaptive", "node",
      "fast_pool", "pool",   "heap", "sync-heap", "dlmalloc"};
  const auto all = lab::all_strategies();
  const lab::strategy* found = lab::find_strategy(strategy);
  if (found) return static_cast<std::size_t>(found - all.data());
  const auto other = std::find(others.begin(), others.end(), strategy);
  return all.size() + static_cast<std::size_t>(other - others.begin());
}

std::vector<lab::coordinate> pick(const cell_result& cell, const std::vector<std::string>& names) {
  std::vector<lab::coordinate> picked;
  for (const std::string& name : names) {
    const auto found = cell.at.find(name);
    picked.push_back(found == cell.at.end() ? lab::coordinate("-") : found->second);
  }
  return picked;
}

// Returns the position of a value of the coordinate `along` among the columns.
lab::coordinate order_of(const lab::coordinate& value, const std::vector<std::string>& order) {
  const auto found = std::find(order.begin(), order.end(), lab::to_string(value));
  if (found == order.end()) return value;
  return static_cast<std::int64_t>(found - order.begin());
}

}  // namespace

const lab::bench* bench_of(const cell_result& cell) {
  if (const lab::bench* known = lab::find_bench(cell.bench)) {
    return known->name == cell.bench ? known : nullptr;
  }
  static std::map<std::string, lab::bench> guessed;
  const auto [found, fresh] = guessed.try_emplace(cell.bench);
  if (fresh || (cell.ok() && found->second.figures.empty())) found->second = guess_bench(cell);
  return &found->second;
}

label contender_label(const cell_result& cell, const lab::bench& of) {
  if (of.contenders.kind == lab::rivals::mallocs) return {{}, cell.malloc};
  const auto rank = static_cast<std::int64_t>(rank_of(cell.strategy));
  const bool one_library = of.table.columns == lab::across::strategies;
  return {{rank}, one_library ? cell.strategy : lab::column_name(cell.strategy, cell.peer)};
}

bool is_base(const cell_result& cell, const lab::bench& of) {
  const std::string name = lab::column_name(cell.strategy, cell.peer);
  return name == (of.table.base.empty() ? "AS1@global" : of.table.base);
}

label row_of(const cell_result& cell, const lab::bench& of) {
  label row{pick(cell, of.table.rows), {}};
  const bool contenders_too = of.table.columns == lab::across::along;
  for (const lab::coordinate& one : row.order) {
    row.text += fmt::format("{:<{}}", lab::to_string(one), contenders_too ? 26 : 11);
  }
  if (contenders_too) {
    const label who = contender_label(cell, of);
    row.order.insert(row.order.end(), who.order.begin(), who.order.end());
    row.text += fmt::format("{:<12}", who.text);
  }
  return row;
}

std::string row_head(const lab::bench& of) {
  if (of.table.columns == lab::across::along) return fmt::format("{:<38}", of.table.along);
  std::string text;
  for (const std::string& name : of.table.rows) text += fmt::format("{:<11}", name);
  return text;
}

label column_of(const cell_result& cell, const lab::bench& of) {
  if (of.table.columns != lab::across::along) return contender_label(cell, of);
  const lab::coordinate value = pick(cell, {of.table.along})[0];
  return {{order_of(value, of.table.order)},
          of.table.head ? of.table.head(value) : lab::to_string(value)};
}

bool is_of_one_library(const lab::bench& of) {
  return of.contenders.kind == lab::rivals::strategies;
}

double value_of(const lab::figure_kind& shown, const cell_result& cell) {
  double value = cell.median_of(shown.measure) * shown.scale;
  if (!shown.over.empty()) value /= cell.median_of(shown.over);
  if (!shown.per) return value;
  try {
    return value / shown.per(cell.at);
  } catch (const std::out_of_range&) {  // a cell that somebody else wrote
    return std::nan("");
  }
}

}  // namespace mallard::cli
