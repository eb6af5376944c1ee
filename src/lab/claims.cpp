#include "lab/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "lab/claim_table.hpp"
#include "lab/peers.hpp"

namespace mallard::lab {
namespace {

// The natural logarithm of a ratio of times, with how far its interval reaches down and up.
struct log_ratio {
  double value;
  double down;
  double up;
};

// A mean of log ratios. Errors of different cells are independent, so they add up in quadrature.
struct estimate {
  std::string where;
  double ratio = 1;
  double low = 1;
  double high = 1;
};

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

// The cells of one heap, with our resources.
class view {
 public:
  view(std::span<const cell_result> cells, std::string_view heap) {
    for (const cell_result& cell : cells) {
      if (cell.ok() && cell.bench == "density" && cell.key.heap == heap) {
        cells_[{cell.key.ds, cell.key.strategy, cell.key.peer}][cell.key.size] = &cell;
      }
    }
  }

  using by_size = std::map<int, const cell_result*>;

  const by_size& sizes(std::string_view ds, std::string_view strategy) const {
    static const by_size none;
    const auto found = cells_.find({ds, strategy, peer_of(strategy)});
    return found == cells_.end() ? none : found->second;
  }

 private:
  // AS2 is the global heap behind the standard library's base class.
  static std::string_view peer_of(std::string_view strategy) {
    if (strategy == "AS1") return global_peer;
    return strategy == "AS2" ? "std" : "mallard";
  }

  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, by_size> cells_;
};

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
  for (std::size_t i = 0; i < count; ++i)
    pairs.push_back({pick(what.left, i), pick(what.right, i)});
  return pairs;
}

struct evidence {
  std::vector<estimate> estimates;  // each of which has to be in the range
  std::string missing;              // what was not measured; empty: nothing
};

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

verdict judge(const estimate& one, const comparison& what) {
  if (one.low >= what.at_least && one.high <= what.at_most) return verdict::holds;
  if (one.high < what.at_least || one.low > what.at_most) return verdict::fails;
  return verdict::undecided;
}

std::string range_text(const comparison& what) {
  if (what.at_least <= 0) return fmt::format("at most {}", what.at_most);
  if (std::isinf(what.at_most)) return fmt::format("at least {}", what.at_least);
  return fmt::format("{} to {}", what.at_least, what.at_most);
}

// Of several estimates, the one farthest from the middle of what is claimed: it decides.
const estimate& decisive(const std::vector<estimate>& estimates, const comparison& what) {
  const auto distance = [&](const estimate& one) {
    return std::max(what.at_least - one.ratio, one.ratio - what.at_most);
  };
  return *std::max_element(
      estimates.begin(), estimates.end(),
      [&](const estimate& a, const estimate& b) { return distance(a) < distance(b); });
}

// A claim falls with one part of it, and stands only with all.
verdict both(verdict a, verdict b) {
  if (a == verdict::fails || b == verdict::fails) return verdict::fails;
  return a == verdict::holds ? b : a;
}

struct judged {
  verdict result;
  std::string figures;
};

judged judge(const view& cells, const comparison& what) {
  const evidence found = collect(cells, what);
  if (found.estimates.empty()) {
    return {verdict::undecided, fmt::format("not measured: {}", found.missing)};
  }
  verdict result = found.missing.empty() ? verdict::holds : verdict::undecided;
  std::size_t outside = 0;
  for (const estimate& one : found.estimates) {
    const verdict part = judge(one, what);
    outside += part == verdict::fails;
    result = both(result, part);
  }
  const estimate& worst = decisive(found.estimates, what);
  std::string figures = fmt::format("{} = {:.2f} ({:.2f} to {:.2f}; claimed {})", worst.where,
                                    worst.ratio, worst.low, worst.high, range_text(what));
  if (found.estimates.size() > 1) {
    figures += fmt::format(", {} of {} outside", outside, found.estimates.size());
  }
  if (!found.missing.empty()) figures += fmt::format("; not measured: {}", found.missing);
  return {result, std::move(figures)};
}

claim_verdict judge(const view& cells, const claim& what, std::string_view heap) {
  claim_verdict result{.id = std::string(what.id),
                       .section = std::string(what.section),
                       .statement = std::string(what.statement),
                       .note = std::string(what.note),
                       .heap = std::string(heap),
                       .result = verdict::holds,
                       .figures = {}};
  for (const comparison& part : what.comparisons) {
    const judged one = judge(cells, part);
    result.result = both(result.result, one.result);
    if (!result.figures.empty()) result.figures += "; ";
    result.figures += one.figures;
  }
  return result;
}

}  // namespace

std::vector<claim_verdict> evaluate_claims(std::span<const cell_result> cells) {
  std::vector<std::string_view> heaps;
  for (const cell_result& cell : cells) {
    if (std::find(heaps.begin(), heaps.end(), cell.key.heap) == heaps.end()) {
      heaps.push_back(cell.key.heap);
    }
  }
  std::vector<claim_verdict> verdicts;
  for (const std::string_view heap : heaps) {
    const view of_heap(cells, heap);
    for (const claim& one : density_claims()) verdicts.push_back(judge(of_heap, one, heap));
  }
  return verdicts;
}

std::string_view to_string(verdict result) {
  switch (result) {
    case verdict::holds:
      return "holds";
    case verdict::fails:
      return "fails";
    case verdict::undecided:
      return "undecided";
  }
  return "?";
}

}  // namespace mallard::lab
