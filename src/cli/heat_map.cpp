#include "cli/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "cli/terminal.hpp"
#include "lab/peers.hpp"
#include "lab/statistics.hpp"
#include "lab/strategies.hpp"
#include "lab/structures.hpp"

namespace mallard::cli {
namespace {

using lab::cell_result;

constexpr int width = 7;

double nanoseconds_per_leaf(const cell_result& cell) {
  return cell.median * 1e9 / static_cast<double>(cell.leaves);
}

// Three significant digits, without an exponent.
std::string figure(double value) {
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return fmt::format("{:.{}f}", value, decimals);
}

// The cells of one data structure, heap and peer.
struct table {
  std::map<std::pair<int, std::string_view>, const cell_result*> cells;  // by size and strategy
  std::set<int> sizes;
  std::vector<std::string_view> strategies;  // in the order of the paper
  double low = 0;                            // logarithms of the extreme figures
  double high = 0;
};

table make_table(const std::vector<cell_result>& all, std::string_view ds, std::string_view heap,
                 std::string_view peer) {
  table made;
  for (const cell_result& cell : all) {
    const auto& key = cell.key;
    if (key.ds != ds || key.heap != heap || (key.peer != peer && key.peer != lab::global_peer)) {
      continue;
    }
    const bool first = std::none_of(made.cells.begin(), made.cells.end(),
                                    [](const auto& entry) { return entry.second->ok(); });
    made.cells[{key.size, key.strategy}] = &cell;
    made.sizes.insert(key.size);
    if (!cell.ok()) continue;
    const double value = std::log(nanoseconds_per_leaf(cell));
    made.low = first ? value : std::min(made.low, value);
    made.high = first ? value : std::max(made.high, value);
  }
  for (const lab::strategy& one : lab::all_strategies()) {
    if (std::any_of(made.cells.begin(), made.cells.end(),
                    [&](const auto& entry) { return entry.first.second == one.name; })) {
      made.strategies.push_back(one.name);
    }
  }
  return made;
}

std::string cell_text(const table& from, int size, std::string_view strategy, bool colour) {
  const auto found = from.cells.find({size, strategy});
  if (found == from.cells.end()) return fmt::format("{:>{}}", "", width);
  const cell_result& cell = *found->second;
  if (!cell.ok()) return fmt::format("{:>{}}", "FAIL", width);
  const double value = nanoseconds_per_leaf(cell);
  const std::string text = fmt::format("{:>{}}", figure(value), width);
  if (!colour) return text;
  const double range = from.high - from.low;
  return on_heat(text, range > 0 ? (std::log(value) - from.low) / range : 0);
}

}  // namespace

std::string heat_maps(const std::vector<cell_result>& cells, std::string_view heap,
                      std::string_view peer, bool colour) {
  std::string text;
  for (const lab::structure& ds : lab::all_structures()) {
    const table of_ds = make_table(cells, ds.name, heap, peer);
    if (of_ds.cells.empty()) continue;
    const std::string title = fmt::format("{} {}", ds.name, ds.type);
    text += fmt::format("\n{}, {} heap, {}: ns per leaf insertion\n",
                        styled(title, style::bold, colour), heap, peer);
    text += "      ";
    for (const auto strategy : of_ds.strategies) text += fmt::format("{:>{}}", strategy, width);
    text += '\n';
    for (const int size : of_ds.sizes) {
      text += fmt::format("2^{:<4}", size);
      for (const auto strategy : of_ds.strategies) {
        text += cell_text(of_ds, size, strategy, colour);
      }
      text += '\n';
    }
  }
  return text;
}

std::string speed_ups(const std::vector<cell_result>& cells, std::string_view heap) {
  std::map<std::tuple<std::string_view, int>, const cell_result*> base;
  for (const cell_result& cell : cells) {
    if (cell.ok() && cell.key.heap == heap && cell.key.strategy == "AS1") {
      base[{cell.key.ds, cell.key.size}] = &cell;
    }
  }
  std::map<std::pair<std::string_view, std::string_view>, std::vector<double>> ratios;
  for (const cell_result& cell : cells) {
    const auto global = base.find({cell.key.ds, cell.key.size});
    if (!cell.ok() || cell.key.heap != heap || cell.key.strategy == "AS1" || global == base.end()) {
      continue;
    }
    ratios[{cell.key.strategy, cell.key.peer}].push_back(global->second->median / cell.median);
  }
  if (ratios.empty()) return {};

  std::set<std::string_view> measured;
  for (const auto& entry : ratios) measured.insert(entry.first.second);
  std::string text = fmt::format(
      "\nTimes as fast as the global heap (AS1), {} heap, geometric mean\n{:<49}", heap, "");
  for (const auto peer : measured) text += fmt::format("{:>9}", peer);
  text += '\n';
  for (const lab::strategy& one : lab::all_strategies()) {
    std::string row;
    bool any = false;
    for (const auto peer : measured) {
      const auto found = ratios.find({one.name, peer});
      any |= found != ratios.end();
      row += found == ratios.end()
                 ? fmt::format("{:>9}", "-")
                 : fmt::format("{:>9}", figure(lab::geometric_mean(found->second)));
    }
    if (!any) continue;
    const std::string what =
        fmt::format("{}, {}, {}", lab::to_string(one.what),
                    one.how == lab::binding::abstract_base ? "base" : "direct",
                    one.end == lab::destruction::normal ? "destroyed" : "winked");
    text += fmt::format("{:<6}{:<43}{}\n", one.name, what, row);
  }
  return text;
}

}  // namespace mallard::cli
