#include "cli/series_layout.hpp"

#include <fmt/format.h>

#include <cmath>

#include "lab/strategies.hpp"

namespace mallard::cli {
namespace {

using lab::series_cell;

std::int64_t number_at(const series_cell& cell, const char* name) {
  const auto found = cell.at.find(name);
  const auto* number = found == cell.at.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
  return number ? *number : 0;
}

const std::vector<layout>& layouts() {
  static const std::vector<layout> all = {
      {"locality",
       {"links", "variant"},
       {"subsystem", "accesses", "shuffles"},
       nullptr,
       "access_after",
       {{"ns per step, after shuffling",
         [](const series_cell& cell) {
           return median_of(cell, "access_after") / median_of(cell, "steps") * 1e9;
         }},
        {"degradation: walking after shuffling / before",
         [](const series_cell& cell) { return median_of(cell, "degradation"); }},
        {"bytes of resident memory per link",
         [](const series_cell& cell) { return median_of(cell, "bytes_per_node"); }}}},
      {"utilization",
       {},
       {"total", "active", "block"},
       nullptr,
       "time",
       {{"ns per block",
         [](const series_cell& cell) {
           const auto log2 = number_at(cell, "total") - number_at(cell, "block");
           return std::ldexp(median_of(cell, "time") * 1e9, -static_cast<int>(log2));
         }},
        {"peak resident set, MiB",
         [](const series_cell& cell) { return median_of(cell, "rss") / (1 << 20); }}}},
      {"contention",
       {"form"},
       {"iterations", "block", "threads"},
       nullptr,
       "time",
       {{"ns per allocation of a thread",
         [](const series_cell& cell) {
           return std::ldexp(median_of(cell, "time") * 1e9,
                             -static_cast<int>(number_at(cell, "iterations")));
         }}}},
      {"false-sharing",
       {},
       {"form"},
       "threads",
       "time",
       {{"ms", [](const series_cell& cell) { return median_of(cell, "time") * 1e3; }}}},
  };
  return all;
}

// The layout of a bench that this program does not know, from what its cells have.
layout guess_layout(const series_cell& cell) {
  layout guessed{cell.bench, {}, {}, nullptr, "time", {}};
  for (const auto& entry : cell.at) guessed.rows.push_back(entry.first.c_str());
  guessed.figures.push_back(
      {"ms", [](const series_cell& one) { return median_of(one, "time") * 1e3; }});
  return guessed;
}

// In the order of the paper's Table 1; what is not in it comes last.
std::size_t rank_of(std::string_view strategy) {
  const auto all = lab::all_strategies();
  const lab::strategy* found = lab::find_strategy(strategy);
  if (found) return static_cast<std::size_t>(found - all.data());
  return all.size() + (strategy == "mutex");
}

}  // namespace

double median_of(const series_cell& cell, const char* measure) {
  const lab::measure* found = cell.find(measure);
  return found ? found->median : std::nan("");
}

layout layout_of(const series_cell& cell) {
  for (const layout& one : layouts()) {
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

label row_of(const series_cell& cell, const layout& how) {
  place at = pick(cell, how.rows);
  std::string text;
  for (const lab::coordinate& one : at) text += fmt::format("{:<11}", lab::to_string(one));
  if (how.columns) {
    text = fmt::format("{:<26}{:<12}", lab::to_string(at[0]), cell.strategy + "@" + cell.peer);
    at.emplace_back(static_cast<std::int64_t>(rank_of(cell.strategy)));
  }
  return {at, text};
}

label column_of(const series_cell& cell, const layout& how) {
  if (how.columns) {
    const place at = pick(cell, {how.columns});
    return {at, lab::to_string(at[0])};
  }
  return {{static_cast<std::int64_t>(rank_of(cell.strategy))}, cell.strategy};
}

}  // namespace mallard::cli
