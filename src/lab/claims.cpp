#include "lab/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/claim_table.hpp"
#include "lab/evidence.hpp"

namespace mallard::lab {
namespace {

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
