#include "claim_sides.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "lab/claims/claim_table.hpp"

namespace mallard::lab {

cell_result make_cell_of(std::string_view bench, place at, std::string_view column,
                         std::string_view measure, double figure, std::string_view malloc) {
  const auto at_sign = column.find('@');
  cell_result made;
  made.bench = bench;
  made.at = std::move(at);
  made.strategy = column.substr(0, at_sign);
  made.peer = at_sign == column.npos ? "global" : column.substr(at_sign + 1);
  made.heap = "clean";
  made.malloc = malloc;
  made.measures[std::string(measure)] = {"s", {figure}, figure, figure * 0.99, figure * 1.01};
  return made;
}

claim_verdict judge_claim(const std::vector<cell_result>& cells, std::string_view id,
                          std::string_view variant) {
  constexpr unsigned cores = 4;
  const auto all = evaluate_claims(observe(cells, cores));
  const auto found = std::find_if(all.begin(), all.end(), [&](const claim_verdict& one) {
    return one.id == id && (variant.empty() || one.variant == variant);
  });
  EXPECT_NE(found, all.end()) << id << ' ' << variant;
  return found == all.end() ? claim_verdict{} : *found;
}

void expect_both_sides(std::string_view id_start, const std::vector<claim_sides>& sides) {
  for (const claim_sides& one : sides) {
    const claim_verdict good = judge_claim(one.holds, one.id, one.variant);
    EXPECT_EQ(good.result, verdict::holds) << one.id << ' ' << good.figures;
    const claim_verdict bad = judge_claim(one.fails, one.id, one.variant);
    EXPECT_EQ(bad.result, verdict::fails) << one.id << ' ' << bad.figures;
    // A failed cell has no figures: what only it could tell is not known.
    std::vector<cell_result> broken = one.holds;
    for (cell_result& cell : broken) {
      cell.measures.clear();
      cell.error = "out of memory";
    }
    const claim_verdict open = judge_claim(broken, one.id, one.variant);
    EXPECT_EQ(open.result, verdict::undecided) << one.id << ' ' << open.figures;
  }
  for (const claim& one : all_claims()) {
    if (!one.id.starts_with(id_start)) continue;
    EXPECT_TRUE(std::any_of(sides.begin(), sides.end(),
                            [&](const claim_sides& tried) { return tried.id == one.id; }))
        << one.id << " is not tried";
  }
}

}  // namespace mallard::lab
