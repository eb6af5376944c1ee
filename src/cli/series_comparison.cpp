#include "cli/series_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "cli/series_layout.hpp"
#include "cli/series_table.hpp"
#include "cli/usage_error.hpp"
#include "lab/malloc_bench.hpp"
#include "lab/peers.hpp"
#include "lab/results.hpp"
#include "lab/statistics.hpp"

namespace mallard::cli {
namespace {

using lab::series_cell;

// Of these units more is better.
bool more_is_better(std::string_view unit) {
  return unit == "1/s";
}

// What the mallocs of a bench are compared by; nothing for other benches.
std::string measure_of_mallocs(std::string_view bench) {
  if (bench == "larson") return "throughput";
  if (bench == "memory") return "peak_rss";
  if (bench == "memory-series") return "rss";
  if (bench == "speed" || bench == "remote-free") return "per_op";
  return lab::is_malloc_bench(bench) ? "time" : "";
}

const lab::measure* measure_of(const series_cell& cell, const std::string& wanted) {
  std::string name = wanted.empty() ? measure_of_mallocs(cell.bench) : wanted;
  if (name.empty()) name = layout_of(cell).measure;
  const lab::measure* found = cell.find(name);
  return found && found->median > 0 ? found : nullptr;
}

bool overlap(const lab::measure& a, const lab::measure& b) {
  return a.ci_low <= b.ci_high && b.ci_low <= a.ci_high;
}

std::set<std::string> mallocs_of(const std::vector<series_cell>& cells) {
  std::set<std::string> all;
  for (const series_cell& cell : cells) all.insert(cell.malloc);
  return all;
}

// What is compared in one row of the summary.
std::string row_name(const lab::series_key& key) {
  std::string name = key.bench + ", " + lab::column_name(key.strategy, key.peer);
  if (key.malloc != "glibc") name += ", " + key.malloc;
  return name;
}

using row_key = std::tuple<std::string, std::string>;  // name and heap
using rows_of = std::map<row_key, std::vector<const compared_figure*>>;

std::string summary(const rows_of& rows, int width) {
  std::string text = fmt::format("{:<{}} {:<6} {:>8} {:>6} {:>7} {:>7} {:>7}\n", "what", width,
                                 "heap", "x faster", "cells", "faster", "slower", "same~");
  for (const auto& [key, pairs] : rows) {
    std::vector<double> ratios;
    std::size_t faster = 0;
    std::size_t slower = 0;
    for (const compared_figure* pair : pairs) {
      ratios.push_back(pair->times_as_fast);
      faster += !pair->overlap && pair->times_as_fast > 1;
      slower += !pair->overlap && pair->times_as_fast < 1;
    }
    text += fmt::format("{:<{}} {:<6} {:>8.3f} {:>6} {:>7} {:>7} {:>7}\n", std::get<0>(key), width,
                        std::get<1>(key), lab::geometric_mean(ratios), pairs.size(), faster, slower,
                        pairs.size() - faster - slower);
  }
  return text;
}

}  // namespace

bool series_selector::matches(const series_cell& cell) const {
  if (!malloc.empty()) return cell.malloc == malloc;
  return cell.strategy == strategy && cell.peer == peer;
}

series_selector parse_series_selector(std::string_view option, std::string_view text,
                                      const std::vector<series_cell>& cells) {
  const auto at = text.find('@');
  series_selector chosen{std::string(text.substr(0, at)), "mallard", ""};
  if (chosen.strategy == "AS1") chosen.peer = lab::global_peer;
  if (at != text.npos) chosen.peer = text.substr(at + 1);
  if (mallocs_of(cells).contains(std::string(text))) chosen = {"", "", std::string(text)};
  const bool any = std::any_of(cells.begin(), cells.end(),
                               [&](const series_cell& cell) { return chosen.matches(cell); });
  if (!any) throw usage_error(fmt::format("{}: no cells of strategy or malloc '{}'", option, text));
  return chosen;
}

std::vector<compared_figure> compare_figures(const std::vector<series_cell>& base,
                                             const std::vector<series_cell>& others,
                                             const std::optional<series_selector>& base_selector,
                                             const std::optional<series_selector>& other_selector,
                                             const std::string& measure) {
  const bool one_malloc_each = mallocs_of(base).size() == 1 && mallocs_of(others).size() == 1;
  const auto key_of = [&](const series_cell& cell) {
    lab::series_key key = cell.key();
    if (base_selector ? !base_selector->malloc.empty() : one_malloc_each) key.malloc.clear();
    if (base_selector && base_selector->malloc.empty()) key.strategy = key.peer = "";
    return key;
  };
  std::map<lab::series_key, const series_cell*> bases;
  for (const series_cell& cell : base) {
    if (cell.ok() && (!base_selector || base_selector->matches(cell))) bases[key_of(cell)] = &cell;
  }
  std::vector<compared_figure> pairs;
  for (const series_cell& cell : others) {
    if (!cell.ok() || (other_selector && !other_selector->matches(cell))) continue;
    const auto found = bases.find(key_of(cell));
    if (found == bases.end()) continue;
    const lab::measure* before = measure_of(*found->second, measure);
    const lab::measure* after = measure_of(cell, measure);
    if (!before || !after) continue;
    const double ratio = before->median / after->median;
    pairs.push_back(
        {cell.key(), more_is_better(after->unit) ? 1 / ratio : ratio, overlap(*before, *after)});
  }
  return pairs;
}

std::string comparison_text(const std::vector<compared_figure>& pairs) {
  rows_of rows;
  std::size_t width = 0;
  for (const compared_figure& pair : pairs) {
    const std::string name = row_name(pair.key);
    width = std::max(width, name.size());
    rows[{name, pair.key.heap}].push_back(&pair);
  }
  std::string text = summary(rows, static_cast<int>(width));
  for (const auto& [key, members] : rows) {
    text += fmt::format("\n{}, {} heap\n", std::get<0>(key), std::get<1>(key));
    for (const compared_figure* pair : members) {
      text += fmt::format("{:>8.2f}{}  {}\n", pair->times_as_fast, pair->overlap ? '~' : ' ',
                          describe_place(pair->key.at));
    }
  }
  return text;
}

}  // namespace mallard::cli
