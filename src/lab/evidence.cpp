#include "lab/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/peers.hpp"

namespace mallard::lab {
namespace {

// The natural logarithm of a ratio of times, with how far its interval reaches down and up.
struct log_ratio {
  double value;
  double down;
  double up;
};

// Errors of different cells are independent, so they add up in quadrature.
estimate combine(std::string where, const std::vector<log_ratio>& ratios) {
  const auto count = static_cast<double>(ratios.size());
  double sum = 0;
  double down = 0;
  double up = 0;
  for (const log_ratio& one : ratios) {
    sum += one.value;
    down += one.down * one.down;
    up += one.up * one.up;
  }
  const double mean = sum / count;
  return {std::move(where), std::exp(mean), std::exp(mean - std::sqrt(down) / count),
          std::exp(mean + std::sqrt(up) / count)};
}

log_ratio divide(const cell_result& left, const cell_result& right) {
  const auto log_of = [](double above, double below) { return std::log(above / below); };
  return {log_of(left.median, right.median),
          std::hypot(log_of(left.median, left.ci_low), log_of(right.ci_high, right.median)),
          std::hypot(log_of(left.ci_high, left.median), log_of(right.median, right.ci_low))};
}

// The ratios of one pair of strategies in one structure, by size; empty when data is missing.
std::map<int, log_ratio> same_size_ratios(const view& cells, const comparison& what,
                                          std::string_view ds, std::string_view left,
                                          std::string_view right) {
  std::map<int, log_ratio> ratios;
  const auto& others = cells.sizes(ds, right);
  for (const auto& [size, cell] : cells.sizes(ds, left)) {
    const auto other = others.find(size);
    if (what.at.contains(size) && other != others.end()) {
      ratios.emplace(size, divide(*cell, *other->second));
    }
  }
  return ratios;
}

// How a strategy's time changes from the sizes `base` to the sizes `at`: each of the latter against
// the mean of the former.
std::map<int, log_ratio> growth_ratios(const view& cells, const comparison& what,
                                       std::string_view ds, std::string_view name) {
  std::map<int, log_ratio> ratios;
  const auto& all = cells.sizes(ds, name);
  for (const auto& [size, cell] : all) {
    if (!what.at.contains(size)) continue;
    std::vector<log_ratio> against;
    for (const auto& [base_size, base] : all) {
      if (what.base.contains(base_size)) against.push_back(divide(*cell, *base));
    }
    if (against.empty()) continue;
    const estimate mean = combine({}, against);
    ratios.emplace(size, log_ratio{std::log(mean.ratio), std::log(mean.ratio / mean.low),
                                   std::log(mean.high / mean.ratio)});
  }
  return ratios;
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

// AS2 is the global heap behind the standard library's base class.
std::string_view peer_of(std::string_view strategy) {
  if (strategy == "AS1") return global_peer;
  return strategy == "AS2" ? "std" : "mallard";
}

}  // namespace

view::view(std::span<const cell_result> cells, std::string_view heap) {
  for (const cell_result& cell : cells) {
    if (cell.ok() && cell.bench == "density" && cell.key.heap == heap) {
      cells_[{cell.key.ds, cell.key.strategy, cell.key.peer}][cell.key.size] = &cell;
    }
  }
}

const view::by_size& view::sizes(std::string_view ds, std::string_view strategy) const {
  static const by_size none;
  const auto found = cells_.find({ds, strategy, peer_of(strategy)});
  return found == cells_.end() ? none : found->second;
}

evidence collect(const view& cells, const comparison& what) {
  evidence found;
  std::vector<log_ratio> everything;
  for (const name_pair& pair : pairs_of(what)) {
    std::vector<log_ratio> of_pair;
    for (const std::string_view ds : what.structures) {
      const auto ratios = pair.right.empty()
                              ? growth_ratios(cells, what, ds, pair.left)
                              : same_size_ratios(cells, what, ds, pair.left, pair.right);
      if (ratios.empty() && found.missing.empty()) {
        found.missing = fmt::format("{} in {}", pair.text(), ds);
      }
      for (const auto& [size, ratio] : ratios) {
        of_pair.push_back(ratio);
        if (what.what == over::cell) {
          found.estimates.push_back(
              combine(fmt::format("{} in {} 2^{}", pair.text(), ds, size), {ratio}));
        }
      }
    }
    if (what.what == over::strategy && !of_pair.empty()) {
      found.estimates.push_back(combine(pair.text(), of_pair));
    }
    everything.insert(everything.end(), of_pair.begin(), of_pair.end());
  }
  if (what.what == over::all && !everything.empty()) {
    found.estimates.push_back(combine(std::string(what.label), everything));
  }
  return found;
}

}  // namespace mallard::lab
