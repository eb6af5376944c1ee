// Blocks matter by how they are used.
#include "advise/level_rankings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace mallard::advise;
using testing::HasSubstr;

replayed_cell cell(const std::string& strategy, const std::string& touch, interval times) {
  return {"parse", strategy, touch, times, 1, ""};
}

TEST(level_rankings, another_winner_at_another_level_is_said_in_one_line) {
  const auto found = rankings_that_differ(
      {cell("AS5@mallard", "first", {3, 3.1, 3.2}), cell("AS9@mallard", "first", {2, 2.1, 2.2}),
       cell("AS5@mallard", "walk", {1.1, 1.2, 1.3}), cell("AS9@mallard", "walk", {1.5, 1.6, 1.7})});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].subsystem, "parse");
  EXPECT_EQ(found[0].touch, "walk");
  ASSERT_EQ(found[0].order.size(), 3u);
  EXPECT_EQ(found[0].order[0].strategy, "multipool");
  EXPECT_EQ(found[0].order[2].strategy, "as it is");
  EXPECT_THAT(found[0].says, HasSubstr("multipool 1.60, monotonic 1.20, as it is"));
  EXPECT_EQ(found[0].says.find('\n'), std::string::npos);
}

TEST(level_rankings, the_program_as_it_is_may_win) {
  const auto found = rankings_that_differ(
      {cell("AS9@mallard", "first", {2, 2.1, 2.2}), cell("AS9@mallard", "walk", {0.7, 0.8, 0.9})});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].order[0].strategy, "as it is");
}

TEST(level_rankings, what_cannot_be_told_apart_is_no_other_ranking) {
  EXPECT_TRUE(rankings_that_differ({cell("AS5@mallard", "first", {2, 2.1, 2.2}),
                                    cell("AS9@mallard", "first", {1.9, 2, 2.1}),
                                    cell("AS5@mallard", "walk", {1.1, 1.2, 1.3}),
                                    cell("AS9@mallard", "walk", {1.2, 1.3, 1.4})})
                  .empty());
  // One replay of each: a twentieth is nothing.
  EXPECT_TRUE(rankings_that_differ({cell("AS5@mallard", "first", {2, 2, 2}),
                                    cell("AS9@mallard", "first", {1.9, 1.9, 1.9}),
                                    cell("AS5@mallard", "walk", {1.2, 1.2, 1.2}),
                                    cell("AS9@mallard", "walk", {1.24, 1.24, 1.24})})
                  .empty());
}

TEST(level_rankings, what_was_not_replayed_at_both_levels_is_not_compared) {
  EXPECT_TRUE(rankings_that_differ({cell("AS5@mallard", "first", {3, 3.1, 3.2}),
                                    cell("AS9@mallard", "walk", {1.5, 1.6, 1.7})})
                  .empty());
}

}  // namespace
