#include "cli/series_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/series_layouts.hpp"
#include "lab/strategies.hpp"

namespace mallard::cli {
namespace {

using lab::series_cell;

// The layout of a bench that this program does not know, from what its cells have.
layout guess_layout(const series_cell& cell) {
  layout guessed{cell.bench, {}, {}, across::strategies, "time", {}};
  for (const auto& entry : cell.at) guessed.rows.push_back(entry.first.c_str());
  guessed.figures.push_back(
      {"ms", [](const series_cell& one) { return median_of(one, "time") * 1e3; }});
  return guessed;
}

// Those of P0089R1 in the order of its Table 1, then the others from what everybody has to what few
// have.
std::size_t rank_of(std::string_view strategy) {
  constexpr std::array<std::string_view, 18> others = {
      "sync",         "mutex",  "std",       "realloc", "remap",     "v1",
      "v2-none",      "v2-bwd", "v2-fwd",    "v2",      "adaptive1", "adaptive",
      "own-adaptive", "node",   "fast_pool", "pool",    "heap",      "dlmalloc"};
  const auto all = lab::all_strategies();
  const lab::strategy* found = lab::find_strategy(strategy);
  if (found) return static_cast<std::size_t>(found - all.data());
  const auto other = std::find(others.begin(), others.end(), strategy);
  return all.size() + static_cast<std::size_t>(other - others.begin());
}

}  // namespace

double median_of(const series_cell& cell, const char* measure) {
  const lab::measure* found = cell.find(measure);
  return found ? found->median : std::nan("");
}

layout layout_of(const series_cell& cell) {
  for (const layout& one : known_layouts()) {
    if (one.bench == cell.bench) return one;
  }
  return guess_layout(cell);
}

place pick(const series_cell& cell, const std::vector<const char*>& names) {
  place picked;
  for (const char* name : names) {
    const auto found = cell.at.find(name);
    picked.push_back(found == cell.at.end() ? lab::coordinate("-") : found->second);
  }
  return picked;
}

std::string join(const std::vector<const char*>& names, const place& values) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", names[i], lab::to_string(values[i]));
  }
  return text;
}

std::string column_id(const series_cell& cell, across columns) {
  return columns == across::libraries ? cell.strategy + "@" + cell.peer : cell.strategy;
}

std::string_view base_column(across columns) {
  return columns == across::libraries ? "std@boost" : "AS1";
}

label row_of(const series_cell& cell, const layout& how) {
  place at = pick(cell, how.rows);
  if (how.columns == across::threads) {
    const std::string text =
        fmt::format("{:<26}{:<12}", lab::to_string(at[0]), cell.strategy + "@" + cell.peer);
    at.emplace_back(static_cast<std::int64_t>(rank_of(cell.strategy)));
    return {at, text};
  }
  std::string text;
  for (const lab::coordinate& one : at) text += fmt::format("{:<11}", lab::to_string(one));
  return {at, text};
}

std::string row_head(const layout& how) {
  if (how.columns == across::threads) return fmt::format("{:<38}", "threads");
  std::string text;
  for (const char* name : how.rows) text += fmt::format("{:<11}", name);
  return text;
}

label column_of(const series_cell& cell, const layout& how) {
  if (how.columns == across::threads) {
    const place at = pick(cell, {"threads"});
    return {at, lab::to_string(at[0])};
  }
  return {{static_cast<std::int64_t>(rank_of(cell.strategy))}, column_id(cell, how.columns)};
}

}  // namespace mallard::cli
