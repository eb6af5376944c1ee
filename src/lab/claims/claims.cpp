#include "lab/claims/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lab/claims/claim_table.hpp"
#include "lab/claims/evidence.hpp"
#include "lab/measuring/contender.hpp"

namespace mallard::lab {
namespace {

verdict judge(const estimate& one, const comparison& what) {
  if (one.low >= what.at_least && one.high <= what.at_most) return verdict::holds;
  if (one.high < what.at_least || one.low > what.at_most) return verdict::fails;
  return verdict::undecided;
}

std::string range_text(const comparison& what) {
  if (what.at_least <= 0) return fmt::format("at most {:.6g}", what.at_most);
  if (std::isinf(what.at_most)) return fmt::format("at least {:.6g}", what.at_least);
  return fmt::format("{:.6g} to {:.6g}", what.at_least, what.at_most);
}

// The estimate that decides: the one farthest from the middle of the range, or the nearest if one
// is enough.
const estimate& decisive(const std::vector<estimate>& estimates, const comparison& what) {
  const auto distance = [&](const estimate& one) {
    return std::max(what.at_least - one.ratio, one.ratio - what.at_most);
  };
  const auto nearer = [&](const estimate& a, const estimate& b) {
    return distance(a) < distance(b);
  };
  return what.how_many == need::some
             ? *std::min_element(estimates.begin(), estimates.end(), nearer)
             : *std::max_element(estimates.begin(), estimates.end(), nearer);
}

// A claim fails with one part, and holds only with all.
verdict both(verdict a, verdict b) {
  if (a == verdict::fails || b == verdict::fails) return verdict::fails;
  return a == verdict::holds ? b : a;
}

// One part that holds is enough; all must fail.
verdict either(verdict a, verdict b) {
  if (a == verdict::holds || b == verdict::holds) return verdict::holds;
  return a == verdict::fails ? b : a;
}

struct judged {
  verdict result;
  std::string figures;
};

judged judge_failures(const view& cells, const comparison& what) {
  const failures found = collect_failures(cells, what);
  const std::size_t all = found.failed + found.succeeded;
  if (all == 0) return {verdict::undecided, fmt::format("not measured: {}", what.label)};
  std::string figures = fmt::format("{}: {} of {} cells failed", what.label, found.failed, all);
  if (found.failed > 0) figures += fmt::format(" ({})", found.example);
  return {found.succeeded > 0 ? verdict::fails : verdict::holds, std::move(figures)};
}

judged judge(const view& cells, const comparison& what) {
  if (what.failing) return judge_failures(cells, what);
  const evidence found = collect(cells, what);
  if (found.estimates.empty()) {
    return {verdict::undecided, fmt::format("not measured: {}", found.missing)};
  }
  const bool some = what.how_many == need::some;
  verdict result =
      found.missing.empty() ? (some ? verdict::fails : verdict::holds) : verdict::undecided;
  std::size_t outside = 0;
  for (const estimate& one : found.estimates) {
    const verdict part = judge(one, what);
    outside += part == verdict::fails;
    result = some ? either(result, part) : both(result, part);
  }
  const estimate& chosen = decisive(found.estimates, what);
  std::string figures = fmt::format("{} = {:.2f} ({:.2f} to {:.2f}; claimed {})", chosen.where,
                                    chosen.ratio, chosen.low, chosen.high, range_text(what));
  if (found.estimates.size() > 1) {
    figures += fmt::format(", {} of {} outside", outside, found.estimates.size());
  }
  if (!found.missing.empty()) figures += fmt::format("; not measured: {}", found.missing);
  return {result, std::move(figures)};
}

// The benches of a claim.
names benches_of(const claim& what) {
  names benches;
  for (const comparison& part : what.comparisons) {
    if (std::find(benches.begin(), benches.end(), part.bench) == benches.end()) {
      benches.push_back(part.bench);
    }
  }
  return benches;
}

claim_verdict judge(const view& cells, const claim& what, std::string_view heap,
                    std::string_view variant) {
  const names benches = benches_of(what);
  claim_verdict result{.id = what.id,
                       .source = what.source,
                       .section = what.section,
                       .bench = benches.size() == 1 ? benches.front() : "all",
                       .statement = what.statement,
                       .note = what.note,
                       .heap = std::string(heap),
                       .variant = std::string(variant),
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

bool is_about(const names& benches, const observation& cell) {
  return std::find(benches.begin(), benches.end(), cell.bench) != benches.end();
}

// Whether the claim names the strategy without a library.
bool speaks_of(const claim& what, std::string_view strategy) {
  return std::any_of(what.comparisons.begin(), what.comparisons.end(), [&](const comparison& one) {
    return std::find(one.left.begin(), one.left.end(), strategy) != one.left.end() ||
           std::find(one.right.begin(), one.right.end(), strategy) != one.right.end();
  });
}

// The libraries with measured strategies that the claim names, ours first.
std::vector<std::string> libraries_of(const claim& what, std::string_view heap,
                                      std::span<const observation> cells) {
  std::set<std::string> found;
  const names benches = benches_of(what);
  for (const observation& cell : cells) {
    if (cell.heap != heap || cell.peer == global_peer || !is_about(benches, cell)) continue;
    if (speaks_of(what, cell.strategy)) found.insert(cell.peer);
  }
  std::vector<std::string> ordered;
  if (found.empty() || found.erase(std::string(our_library)) > 0) {
    ordered.emplace_back(our_library);
  }
  ordered.insert(ordered.end(), found.begin(), found.end());
  return ordered;
}

// The values of `each`, in the order of their occurrence; one empty value if there is none.
std::vector<std::string> variants_of(const claim& what, std::string_view heap,
                                     std::span<const observation> cells) {
  if (what.each.empty()) return {""};
  if (what.each == every_library) return libraries_of(what, heap, cells);
  std::vector<std::string> found;
  const names benches = benches_of(what);
  for (const observation& cell : cells) {
    const coordinate* value = cell.find(what.each);
    if (!value || cell.heap != heap || !is_about(benches, cell)) continue;
    const std::string text = to_string(*value);
    if (std::find(found.begin(), found.end(), text) == found.end()) found.push_back(text);
  }
  if (found.empty()) found.emplace_back();
  return found;
}

}  // namespace

std::vector<claim_verdict> evaluate_claims(std::span<const observation> cells) {
  return evaluate_claims(cells, all_claims());
}

std::vector<claim_verdict> evaluate_claims(std::span<const observation> cells,
                                           std::span<const claim> claims) {
  std::vector<std::string_view> heaps;
  for (const observation& cell : cells) {
    if (std::find(heaps.begin(), heaps.end(), cell.heap) == heaps.end()) {
      heaps.push_back(cell.heap);
    }
  }
  std::vector<claim_verdict> verdicts;
  for (const std::string_view heap : heaps) {
    const view of_heap(cells, heap);
    for (const claim& one : claims) {
      if (!one.heap.empty() && one.heap != heap) continue;
      const names benches = benches_of(one);
      const bool measured = std::any_of(cells.begin(), cells.end(), [&](const observation& cell) {
        return cell.heap == heap && is_about(benches, cell);
      });
      if (!measured) continue;
      for (const std::string& variant : variants_of(one, heap, cells)) {
        if (variant.empty()) {
          verdicts.push_back(judge(of_heap, one, heap, variant));
        } else if (one.each == every_library) {
          verdicts.push_back(judge(view(cells, heap, {}, variant), one, heap, variant));
        } else {
          const view of_variant(cells, heap, {{one.each, {.words = {variant}}}});
          verdicts.push_back(judge(of_variant, one, heap, variant));
        }
      }
    }
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
