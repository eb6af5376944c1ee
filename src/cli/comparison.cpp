#include "cli/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "cli/layout.hpp"
#include "cli/text_table.hpp"
#include "cli/usage_error.hpp"
#include "lab/bench/bench.hpp"
#include "lab/measuring/statistics.hpp"

namespace mallard::cli {
namespace {

using lab::cell_result;

// As the result file says; else as this program does, and by the unit where it does not know the
// bench.
bool more_is_better(const cell_result& cell, const std::string& measure) {
  if (const auto said = cell.find(measure)->which) return *said == lab::better::more;
  const lab::bench* of = lab::find_bench(cell.bench);
  const lab::measure_kind* known = of ? lab::find_measure(of->measures, measure) : nullptr;
  return known ? known->which == lab::better::more : cell.find(measure)->unit == "1/s";
}

// Returns the measure by which a cell is compared.
std::string measure_name(const cell_result& cell, const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  if (const lab::bench* of = bench_of(cell)) return of->main;
  return lab::find_bench(cell.bench)->parts.series_main;
}

const lab::measure* measure_of(const cell_result& cell, const std::string& wanted) {
  const lab::measure* found = cell.find(measure_name(cell, wanted));
  return found && found->median > 0 ? found : nullptr;
}

bool overlap(const lab::measure& a, const lab::measure& b) {
  return a.ci_low <= b.ci_high && b.ci_low <= a.ci_high;
}

std::set<std::string> mallocs_of(const std::vector<cell_result>& cells) {
  std::set<std::string> all;
  for (const cell_result& cell : cells) all.insert(cell.malloc);
  return all;
}

// Returns the name of the cell's row in the summary.
std::string row_name(const lab::cell_key& key) {
  return fmt::format("{}, {}", key.bench, lab::contender_text(key));
}

using row_key = std::tuple<std::string, std::string>;  // name and heap
using rows_of = std::map<row_key, std::vector<const compared_figure*>>;

std::string summary(const rows_of& rows) {
  text_table table({{"", text_table::left},
                    {"heap", text_table::left},
                    {"x faster"},
                    {"cells"},
                    {"faster"},
                    {"slower"},
                    {"same~"}});
  for (const auto& [key, pairs] : rows) {
    std::vector<double> ratios;
    std::size_t faster = 0;
    std::size_t slower = 0;
    for (const compared_figure* pair : pairs) {
      ratios.push_back(pair->times_as_fast);
      faster += !pair->overlap && pair->times_as_fast > 1;
      slower += !pair->overlap && pair->times_as_fast < 1;
    }
    table.add({std::get<0>(key), std::get<1>(key),
               fmt::format("{:.3f}", lab::geometric_mean(ratios)), fmt::format("{}", pairs.size()),
               fmt::format("{}", faster), fmt::format("{}", slower),
               fmt::format("{}", pairs.size() - faster - slower)});
  }
  return table.text(false);
}

}  // namespace

bool selector::matches(const cell_result& cell) const {
  if (!malloc.empty()) return cell.malloc == malloc;
  return cell.strategy == strategy && cell.peer == peer;
}

selector parse_selector(std::string_view option, std::string_view text,
                        const std::vector<cell_result>& cells) {
  const auto at = text.find('@');
  selector chosen{std::string(text.substr(0, at)), "mallard", ""};
  if (chosen.strategy == "AS1") chosen.peer = lab::global_peer;
  if (at != text.npos) chosen.peer = text.substr(at + 1);
  if (mallocs_of(cells).contains(std::string(text))) chosen = {"", "", std::string(text)};
  const bool any = std::any_of(cells.begin(), cells.end(),
                               [&](const cell_result& cell) { return chosen.matches(cell); });
  if (!any) throw usage_error(fmt::format("{}: no cells of strategy or malloc '{}'", option, text));
  return chosen;
}

std::vector<compared_figure> compare_figures(const std::vector<cell_result>& base,
                                             const std::vector<cell_result>& others,
                                             const std::optional<selector>& base_selector,
                                             const std::optional<selector>& other_selector,
                                             const std::string& measure) {
  const bool one_malloc_each = mallocs_of(base).size() == 1 && mallocs_of(others).size() == 1;
  const auto key_of = [&](const cell_result& cell) {
    lab::cell_key key = cell.key();
    if (base_selector ? !base_selector->malloc.empty() : one_malloc_each) key.malloc.clear();
    if (base_selector && base_selector->malloc.empty()) key.strategy = key.peer = "";
    return key;
  };
  std::map<lab::cell_key, const cell_result*> bases;
  for (const cell_result& cell : base) {
    if (cell.ok() && (!base_selector || base_selector->matches(cell))) bases[key_of(cell)] = &cell;
  }
  std::vector<compared_figure> pairs;
  for (const cell_result& cell : others) {
    if (!cell.ok() || (other_selector && !other_selector->matches(cell))) continue;
    const auto found = bases.find(key_of(cell));
    if (found == bases.end()) continue;
    const lab::measure* before = measure_of(*found->second, measure);
    const lab::measure* after = measure_of(cell, measure);
    if (!before || !after) continue;
    const double ratio = before->median / after->median;
    pairs.push_back({cell.key(),
                     more_is_better(cell, measure_name(cell, measure)) ? 1 / ratio : ratio,
                     overlap(*before, *after)});
  }
  return pairs;
}

std::string comparison_text(const std::vector<compared_figure>& pairs) {
  rows_of rows;
  for (const compared_figure& pair : pairs) {
    rows[{row_name(pair.key), pair.key.heap}].push_back(&pair);
  }
  std::string text = summary(rows);
  for (const auto& [key, members] : rows) {
    text += fmt::format("\n{}, {} heap\n", std::get<0>(key), std::get<1>(key));
    for (const compared_figure* pair : members) {
      text += fmt::format("{:>8.2f}{}  {}\n", pair->times_as_fast, pair->overlap ? '~' : ' ',
                          lab::to_string(pair->key.at));
    }
  }
  return text;
}

}  // namespace mallard::cli
