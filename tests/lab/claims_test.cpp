// Claims judged on made-up results, where the verdict is known.
#include "lab/claims/claims.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cells.hpp"
#include "lab/claims/claim_table.hpp"
#include "lab/claims/reference.hpp"
#include "lab/kernels/extended_work.hpp"
#include "lab/measuring/strategies.hpp"
#include "lab/measuring/structures.hpp"

namespace mallard::lab {
namespace {

using testing::HasSubstr;

claim_verdict find(const std::vector<claim_verdict>& all, std::string_view id) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.id == id; });
  EXPECT_NE(found, all.end()) << id;
  return found == all.end() ? claim_verdict{} : *found;
}

std::vector<claim_verdict> evaluate_claims(const std::vector<cell_result>& cells) {
  return lab::evaluate_claims(observe(cells, 2));
}

verdict judge_one(const std::vector<cell_result>& cells, std::string_view id) {
  return find(evaluate_claims(cells), id).result;
}

// The strategies of P0089R1, those of contention beside them, and the columns of the benches of
// arrays and nodes, with any library.
bool is_known(std::string_view name) {
  const auto at_sign = name.find('@');
  const std::string_view strategy = name.substr(0, at_sign);
  const auto columns = extended_columns();
  const auto extended = std::any_of(columns.begin(), columns.end(), [&](const column& one) {
    return one.strategy == strategy &&
           (at_sign == name.npos || one.peer == name.substr(at_sign + 1));
  });
  const std::string_view peer = at_sign == name.npos ? "mallard" : name.substr(at_sign + 1);
  const bool has_strategies = peer == "mallard" || peer == "std" || peer == "boost";
  return extended ||
         (has_strategies && (find_strategy(strategy) || strategy == "sync" || strategy == "mutex"));
}

TEST(ClaimTable, HasUniqueIdsAndKnownNames) {
  EXPECT_GE(density_claims().size(), 55U);
  EXPECT_GE(all_claims().size(), density_claims().size() + 30);
  std::set<std::string_view> ids;
  std::vector<claim> all(all_claims().begin(), all_claims().end());
  const auto goals = all_claims(claim_set::goals);
  all.insert(all.end(), goals.begin(), goals.end());
  for (const claim& one : all) {
    EXPECT_TRUE(ids.insert(one.id).second) << one.id;
    EXPECT_FALSE(one.statement.empty());
    EXPECT_FALSE(one.section.empty()) << one.id;
    EXPECT_FALSE(one.source.empty()) << one.id;
    EXPECT_FALSE(one.comparisons.empty()) << one.id;
    for (const comparison& part : one.comparisons) {
      EXPECT_FALSE(part.left.empty()) << one.id;
      for (const auto ds : part.structures) EXPECT_TRUE(find_structure(ds)) << one.id;
      for (const auto& list : {part.left, part.right}) {
        for (const auto name : list) {
          // What is counted is a resource, not a strategy.
          const bool counted = part.bench == "counts" && name == "multipool";
          EXPECT_TRUE(is_known(name) || counted) << one.id << ' ' << name;
        }
      }
      const bool pairs =
          part.left.size() == part.right.size() || part.left.size() == 1 || part.right.size() <= 1;
      EXPECT_TRUE(pairs) << one.id;
      EXPECT_LT(part.at_least, part.at_most) << one.id;
    }
  }
}

// A claim that the paper's own figures do not bear out was not read correctly.
TEST(Claims, HoldOnThePublishedFigures) {
  std::vector<cell_result> cells;
  for (const structure& ds : all_structures()) {
    for (int size = 6; size <= 16; ++size) {
      for (const strategy& how : all_strategies()) {
        const auto seconds = published_seconds(ds.name, size, how.name);
        if (!seconds) continue;
        const auto peer = how.name == "AS1" ? "global" : how.name == "AS2" ? "std" : "mallard";
        cells.push_back(make_cell(ds.name, size, how.name, peer, "clean", *seconds));
      }
    }
  }
  for (const auto& one : evaluate_claims(cells)) {
    // Its second half is not borne out by the paper's own tables: see its note.
    auto expected = one.id == "I-G.6" ? verdict::fails : verdict::holds;
    if (one.bench != "density" || one.id == "M-1") expected = verdict::undecided;
    EXPECT_EQ(one.result, expected) << one.id << ' ' << one.figures;
  }
}

TEST(Claims, HoldsWhenTheWholeIntervalIsInTheRange) {
  const auto cells = make_table([](auto, int, std::string_view strategy) {
    return strategy == "AS1" || strategy == "AS2" ? 10.0 : 1.0;
  });
  EXPECT_EQ(judge_one(cells, "I-G.1"), verdict::holds);  // monotonic at least four times as fast
  EXPECT_EQ(judge_one(cells, "I-2.1"), verdict::holds);  // AS2 like AS1
  EXPECT_EQ(judge_one(cells, "I-2.5"), verdict::holds);  // virtual like direct
}

TEST(Claims, FailsWhenTheWholeIntervalIsOutside) {
  const auto cells = make_table([](auto, int, std::string_view) { return 1.0; });
  const auto all = evaluate_claims(cells);
  EXPECT_EQ(find(all, "I-G.1").result, verdict::fails);
  EXPECT_THAT(find(all, "I-G.1").figures, HasSubstr("= 1.00"));
  EXPECT_THAT(find(all, "I-G.1").figures, HasSubstr("at least 4"));
}

TEST(Claims, IsUndecidedWhenTheIntervalStraddlesTheLimit) {
  auto cells = make_table([](auto, int, std::string_view strategy) {
    return strategy == "AS1" ? 1.0 : 1.0 / 3.0;  // exactly the claimed three times
  });
  EXPECT_EQ(judge_one(cells, "I-10.1"), verdict::undecided);
}

TEST(Claims, IsUndecidedWithoutItsDataAndSaysWhatIsMissing) {
  auto cells = make_table(
      [](auto, int, std::string_view strategy) { return strategy == "AS1" ? 10.0 : 1.0; });
  std::erase_if(cells, [](const auto& cell) { return cell.strategy == "AS5"; });
  const auto without = find(evaluate_claims(cells), "I-7.1");
  EXPECT_EQ(without.result, verdict::undecided);
  EXPECT_THAT(without.figures, HasSubstr("not measured: AS1 / AS5 in DS7"));
}

TEST(Claims, FailedCellsCountAsMissing) {
  auto cells = make_table(
      [](auto, int, std::string_view strategy) { return strategy == "AS1" ? 10.0 : 1.0; });
  for (auto& cell : cells) {
    if (cell.strategy == "AS5") cell.error = "out of memory";
  }
  EXPECT_EQ(judge_one(cells, "I-7.1"), verdict::undecided);
}

TEST(Claims, OneBadCellFailsAClaimAboutEveryCell) {
  auto cells = make_table(
      [](auto, int, std::string_view strategy) { return strategy == "AS1" ? 10.0 : 1.0; });
  EXPECT_EQ(judge_one(cells, "I-G.8"), verdict::holds);
  for (auto& cell : cells) {
    if (cell.at.word("ds") == "DS6" && cell.at.number("size") == 10 && cell.strategy == "AS9") {
      cell = make_cell("DS6", 10, "AS9", "mallard", "clean", 11);
    }
  }
  const auto spoilt = find(evaluate_claims(cells), "I-G.8");
  EXPECT_EQ(spoilt.result, verdict::fails);
  EXPECT_THAT(spoilt.figures, HasSubstr("AS1 / AS9 at ds DS6, size 10"));
}

TEST(Claims, GrowthComparesAStrategyWithItselfAtOtherSizes) {
  const auto growing = make_table([](auto, int size, std::string_view strategy) {
    return strategy == "AS1" && size >= 14 ? 3.0 : 1.0;
  });
  EXPECT_EQ(judge_one(growing, "I-3.2"), verdict::holds);
  const auto flat = make_table([](auto, int, std::string_view) { return 1.0; });
  EXPECT_EQ(judge_one(flat, "I-3.2"), verdict::fails);
}

// AS1 takes `ints` times as long as the multipools in DS9 and DS11, and twice as long elsewhere.
std::vector<cell_result> gains_of_ints(double ints) {
  return make_table([=](std::string_view ds, int, std::string_view strategy) {
    if (strategy != "AS1") return 1.0;
    return ds == "DS9" || ds == "DS11" ? ints : 2.0;
  });
}

TEST(Claims, ARatioOfOneStructureIsHeldAgainstThatOfAnother) {
  EXPECT_EQ(judge_one(gains_of_ints(6), "I-G.10"), verdict::holds);
  EXPECT_EQ(judge_one(gains_of_ints(2), "I-G.10"), verdict::fails);
  EXPECT_EQ(judge_one(gains_of_ints(3), "I-G.10"), verdict::undecided);
  auto half = gains_of_ints(6);
  std::erase_if(half, [](const auto& cell) { return cell.at.word("ds") == "DS12"; });
  const auto without = find(evaluate_claims(half), "I-G.10");
  EXPECT_EQ(without.result, verdict::undecided);
  EXPECT_THAT(without.figures, HasSubstr("not measured: AS1 / AS7 in DS11"));
}

TEST(Claims, EveryStructureCountsByItselfWhereTheClaimSaysSo) {
  const auto with = [](double ds3) {
    return make_table([=](std::string_view ds, int, std::string_view strategy) {
      return strategy != "AS1" ? 1.0 : ds == "DS3" ? ds3 : 2.0;
    });
  };
  EXPECT_EQ(judge_one(with(2), "I-T.1"), verdict::holds);
  EXPECT_EQ(judge_one(with(1), "I-T.1"), verdict::undecided);
  const auto spoilt = find(evaluate_claims(with(0.5)), "I-T.1");
  EXPECT_EQ(spoilt.result, verdict::fails);
  EXPECT_THAT(spoilt.figures, HasSubstr("ds DS3 = 0.50"));
}

TEST(Claims, AreJudgedOncePerHeap) {
  auto cells = make_table(
      [](auto, int, std::string_view strategy) { return strategy == "AS1" ? 10.0 : 1.0; });
  const std::size_t clean = cells.size();
  for (std::size_t i = 0; i < clean; ++i) {
    const cell_key key = cells[i].key();
    cells.push_back(make_cell(key.at.word("ds"), static_cast<int>(key.at.number("size")),
                              key.strategy, key.peer, "aged", 1));
  }
  const auto all = evaluate_claims(cells);
  EXPECT_EQ(all.front().heap, "clean");
  EXPECT_EQ(all.back().heap, "aged");
  std::vector<verdict> of_both;
  for (const auto& one : all) {
    if (one.id == "I-G.1") of_both.push_back(one.result);
  }
  EXPECT_THAT(of_both, testing::ElementsAre(verdict::holds, verdict::fails));
}

TEST(Claims, PeersResourcesAreNotOurs) {
  auto cells = make_table(
      [](auto, int, std::string_view strategy) { return strategy == "AS1" ? 10.0 : 1.0; });
  for (auto& cell : cells) {
    if (cell.peer == "mallard") cell.peer = "boost";
  }
  EXPECT_EQ(judge_one(cells, "I-G.1"), verdict::undecided);
}

TEST(Claims, NothingIsJudgedWithoutCells) {
  EXPECT_TRUE(evaluate_claims(std::vector<cell_result>()).empty());
  EXPECT_TRUE(evaluate_claims(std::vector<observation>()).empty());
}

}  // namespace
}  // namespace mallard::lab
