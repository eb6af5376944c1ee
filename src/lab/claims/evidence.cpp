#include "lab/claims/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "lab/measuring/contender.hpp"

namespace mallard::lab {
namespace {

// The natural logarithm of a quantity, with the distances to both ends of its interval.
struct log_quantity {
  double value;
  double down;
  double up;
};

// A quantity and its cell (for a ratio, the left one).
struct sample {
  const observation* cell;
  log_quantity quantity;
};

// Errors of different cells are independent, so they add up in quadrature.
log_quantity mean_of(const std::vector<log_quantity>& all) {
  const auto count = static_cast<double>(all.size());
  double sum = 0;
  double down = 0;
  double up = 0;
  for (const log_quantity& one : all) {
    sum += one.value;
    down += one.down * one.down;
    up += one.up * one.up;
  }
  return {sum / count, std::sqrt(down) / count, std::sqrt(up) / count};
}

log_quantity divide(const log_quantity& left, const log_quantity& right) {
  // Not std::hypot, which would need glibc 2.35.
  const auto both = [](double one, double other) { return std::sqrt(one * one + other * other); };
  return {left.value - right.value, both(left.down, right.up), both(left.up, right.down)};
}

estimate to_estimate(std::string where, const std::vector<log_quantity>& all) {
  const log_quantity mean = mean_of(all);
  return {std::move(where), std::exp(mean.value), std::exp(mean.value - mean.down),
          std::exp(mean.value + mean.up)};
}

// Returns: nothing for a cell that failed or has no comparable figure.
std::optional<log_quantity> quantity_of(const observation& cell, const comparison& what) {
  const figure* one = cell.figure_of(what.measure);
  if (!cell.ok() || !one) return std::nullopt;
  const double low = std::max(one->low, what.floor);
  const double median = std::max(one->median, what.floor);
  const double high = std::max(one->high, what.floor);
  if (!(low > 0)) return std::nullopt;
  return log_quantity{std::log(median), std::log(median / low), std::log(high / median)};
}

bool admits(const conditions_of& all, const observation& cell) {
  return std::all_of(all.begin(), all.end(), [&](const condition& one) {
    const coordinate* value = cell.find(one.coordinate);
    return value && one.admitted.admits(*value);
  });
}

struct name_pair {
  std::string_view left;
  std::string_view right;
  std::string text() const {
    return right.empty() ? std::string(left) : fmt::format("{} / {}", left, right);
  }
};

std::vector<name_pair> pairs_of(const comparison& what) {
  std::vector<name_pair> pairs;
  const std::size_t count = std::max(what.left.size(), what.right.size());
  const auto pick = [](const names& list, std::size_t i) -> std::string_view {
    if (list.empty()) return {};
    return list.size() == 1 ? list.front() : list.at(i);
  };
  pairs.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    pairs.push_back({pick(what.left, i), pick(what.right, i)});
  return pairs;
}

// The place of a cell, without the coordinates in which the two sides differ.
lab::place common_place(const comparison& what, const observation& cell) {
  lab::place at = cell.at;
  for (const conditions_of* side : {&what.left_at, &what.right_at}) {
    for (const condition& one : *side) at.erase(one.coordinate);
  }
  if (!what.spread.empty()) at.erase(what.spread);
  return at;
}

// One sample for all cells that differ only in the coordinate `spread`: the largest over the
// smallest. A place with a single cell has none.
std::vector<sample> spreads(const comparison& what, const std::vector<sample>& all) {
  std::map<place, std::vector<sample>> places;
  for (const sample& one : all) places[common_place(what, *one.cell)].push_back(one);
  std::vector<sample> found;
  for (const auto& [place, members] : places) {
    if (members.size() < 2) continue;
    const auto [least, greatest] = std::minmax_element(
        members.begin(), members.end(),
        [](const sample& a, const sample& b) { return a.quantity.value < b.quantity.value; });
    found.push_back({greatest->cell, divide(greatest->quantity, least->quantity)});
  }
  return found;
}

// The samples of one side of a comparison.
std::vector<sample> side_of(const view& cells, const comparison& what, std::string_view strategy,
                            const conditions_of& side) {
  std::vector<sample> all;
  for (const observation* cell : cells.find(what, strategy, side)) {
    if (const auto quantity = quantity_of(*cell, what)) all.push_back({cell, *quantity});
  }
  return what.spread.empty() ? all : spreads(what, all);
}

std::vector<sample> samples_of(const view& cells, const comparison& what, const name_pair& pair) {
  std::vector<sample> left = side_of(cells, what, pair.left, what.left_at);
  if (pair.right.empty()) return left;
  std::map<place, log_quantity> others;
  for (const sample& one : side_of(cells, what, pair.right, what.right_at)) {
    others.emplace(common_place(what, *one.cell), one.quantity);
  }
  std::vector<sample> samples;
  for (const sample& one : left) {
    const auto other = others.find(common_place(what, *one.cell));
    if (other != others.end()) samples.push_back({one.cell, divide(one.quantity, other->second)});
  }
  return samples;
}

log_quantity base_of(const comparison& what, const std::vector<log_quantity>& all) {
  if (!what.least_base) return mean_of(all);
  return *std::min_element(
      all.begin(), all.end(),
      [](const log_quantity& a, const log_quantity& b) { return a.value < b.value; });
}

// The samples at the values `at`; with a base, each divided by the mean, or the smallest, at the
// values `base`.
std::vector<sample> along(const comparison& what, const std::vector<sample>& all) {
  const auto lies_at = [&](const sample& one, const values& admitted) {
    const coordinate* value = one.cell->find(what.along);
    return admitted.everything() || (value && admitted.admits(*value));
  };
  std::map<place, std::vector<log_quantity>> bases;
  const auto rest = [&](const sample& one) {
    lab::place at = one.cell->at;
    at.erase(what.along);
    for (const std::string& name : what.beside) at.erase(name);
    return at;
  };
  for (const sample& one : all) {
    if (!what.base.nothing() && lies_at(one, what.base)) bases[rest(one)].push_back(one.quantity);
  }
  std::vector<sample> chosen;
  for (const sample& one : all) {
    if (!lies_at(one, what.at)) continue;
    if (what.base.nothing()) {
      chosen.push_back(one);
    } else if (const auto base = bases.find(rest(one)); base != bases.end()) {
      chosen.push_back({one.cell, divide(one.quantity, base_of(what, base->second))});
    }
  }
  return chosen;
}

// Groups samples whose mean must be in the range, and names the groups.
class groups {
 public:
  explicit groups(const comparison& what) : what_(what) {}

  void add(const name_pair& pair, const sample& one) {
    switch (what_.what) {
      case over::all:
        return add(std::string(what_.label), one);
      case over::strategy:
        return add(pair.text(), one);
      case over::cell:
        return add(fmt::format("{} {}", pair.text(), place_text(*one.cell)), one);
      case over::value:
        const coordinate* value = one.cell->find(what_.by);
        return add(fmt::format("{}, {} {}", what_.label, what_.by, value ? to_string(*value) : "?"),
                   one);
    }
  }

  std::vector<estimate> finish() const {
    std::vector<estimate> all;
    all.reserve(order_.size());
    for (const std::string& name : order_) all.push_back(to_estimate(name, members_.at(name)));
    return all;
  }

 private:
  void add(const std::string& name, const sample& one) {
    const auto [position, fresh] = members_.try_emplace(name);
    if (fresh) order_.push_back(name);
    position->second.push_back(one.quantity);
  }

  const comparison& what_;
  std::vector<std::string> order_;
  std::map<std::string, std::vector<log_quantity>> members_;
};

// The first structure of Benchmark I, or the first pair, without a sample.
std::string missing_text(const comparison& what, const name_pair& pair,
                         const std::vector<sample>& samples) {
  for (const std::string_view ds : what.structures) {
    const bool is_base = what.along == "ds" && !what.at.admits(coordinate(std::string(ds)));
    if (is_base) continue;
    const bool seen = std::any_of(samples.begin(), samples.end(), [&](const sample& one) {
      const coordinate* value = one.cell->find("ds");
      return value && to_string(*value) == ds;
    });
    if (!seen) return fmt::format("{} in {}", pair.text(), ds);
  }
  if (!samples.empty()) return {};
  // A comparison along a coordinate may lack only one end, so the label names both.
  return fmt::format("{} of {}", what.base.nothing() ? pair.text() : std::string(what.label),
                     what.bench);
}

}  // namespace

bool values::admits(const coordinate& value) const {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    return *number >= first && *number <= last;
  }
  if (words.empty()) return first <= last;
  const auto& word = std::get<std::string>(value);
  return (std::find(words.begin(), words.end(), word) != words.end()) != except;
}

bool values::everything() const {
  return first == std::numeric_limits<std::int64_t>::min() && last == no_limit && words.empty();
}

view::view(std::span<const observation> cells, std::string_view heap, const conditions_of& only,
           std::string_view library)
    : library_(library) {
  for (const observation& cell : cells) {
    const bool chosen = std::all_of(only.begin(), only.end(), [&](const condition& one) {
      const coordinate* value = cell.find(one.coordinate);
      return !value || one.admitted.admits(*value);
    });
    if (cell.heap != heap || !chosen) continue;
    cells_[{cell.bench, cell.strategy, cell.peer}].push_back(&cell);
    mallocs_[cell.bench].insert(std::get<std::string>(cell.at.at("malloc")));
  }
}

view::list view::find(const comparison& what, std::string_view strategy,
                      const conditions_of& side) const {
  // In Benchmark I, the global heap behind a base class belongs to a library; elsewhere to none.
  const auto at_sign = strategy.find('@');
  std::vector<std::string_view> peers = {at_sign == strategy.npos ? library_
                                                                  : strategy.substr(at_sign + 1)};
  strategy = strategy.substr(0, at_sign);
  if (strategy == "AS1") peers = {global_peer};
  if (strategy == "AS2") peers = {"std", global_peer};

  const auto speaks_of_malloc = [](const conditions_of& all) {
    return std::any_of(all.begin(), all.end(),
                       [](const condition& one) { return one.coordinate == "malloc"; });
  };
  conditions_of malloc;
  const auto known = mallocs_.find(what.bench);
  if (what.along != "malloc" && !speaks_of_malloc(what.where) && !speaks_of_malloc(side) &&
      known != mallocs_.end()) {
    const auto& all = known->second;
    const std::string_view home = all.contains("glibc") ? "glibc" : *all.begin();
    malloc = {{"malloc", {.words = {std::string(home)}}}};
  }
  for (const std::string_view peer : peers) {
    const auto found = cells_.find({what.bench, strategy, peer});
    if (found == cells_.end()) continue;
    list chosen;
    for (const observation* cell : found->second) {
      const coordinate* ds = cell->find("ds");
      const bool structure =
          what.structures.empty() || (ds && values{.words = what.structures}.admits(*ds));
      if (structure && admits(what.where, *cell) && admits(side, *cell) && admits(malloc, *cell)) {
        chosen.push_back(cell);
      }
    }
    return chosen;
  }
  return {};
}

evidence collect(const view& cells, const comparison& what) {
  evidence found;
  groups grouped(what);
  for (const name_pair& pair : pairs_of(what)) {
    const std::vector<sample> samples = along(what, samples_of(cells, what, pair));
    if (found.missing.empty()) found.missing = missing_text(what, pair, samples);
    for (const sample& one : samples) grouped.add(pair, one);
  }
  found.estimates = grouped.finish();
  return found;
}

failures collect_failures(const view& cells, const comparison& what) {
  failures found;
  for (const std::string_view strategy : what.left) {
    for (const observation* cell : cells.find(what, strategy, what.left_at)) {
      if (cell->ok()) {
        ++found.succeeded;
      } else {
        ++found.failed;
        if (found.example.empty()) found.example = cell->error;
      }
    }
  }
  return found;
}

}  // namespace mallard::lab
