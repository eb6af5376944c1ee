#include "cli/comparison.hpp"

#include <gtest/gtest.h>

#include "cells.hpp"
#include "cli/usage_error.hpp"

namespace mallard::cli {
namespace {

using lab::make_cell;

TEST(Selector, DefaultsToOurResourcesAndToNoneForTheGlobalHeap) {
  EXPECT_EQ(parse_selector("--base", "AS7").peer, "mallard");
  EXPECT_EQ(parse_selector("--base", "AS1").peer, "global");
  EXPECT_EQ(parse_selector("--base", "AS7@std").peer, "std");
  EXPECT_THROW(parse_selector("--base", "AS0@std"), usage_error);
  EXPECT_THROW(parse_selector("--base", ""), usage_error);
}

TEST(Comparison, PairsEqualCellsOfTwoResults) {
  const std::vector before = {make_cell("DS1", 6, "AS7", "mallard", "clean", 2),
                              make_cell("DS1", 7, "AS7", "mallard", "clean", 2)};
  const std::vector after = {make_cell("DS1", 6, "AS7", "mallard", "clean", 1),
                             make_cell("DS1", 6, "AS7", "mallard", "aged", 1)};
  const auto pairs = compare_cells(before, after, {}, {});
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_DOUBLE_EQ(pairs[0].times_as_fast, 2.0);
  EXPECT_FALSE(pairs[0].overlap);
}

TEST(Comparison, PairsTwoStrategiesOfOneResult) {
  const std::vector cells = {make_cell("DS1", 6, "AS1", "global", "clean", 3),
                             make_cell("DS1", 6, "AS7", "mallard", "clean", 1),
                             make_cell("DS1", 6, "AS7", "std", "clean", 6),
                             make_cell("DS2", 6, "AS7", "mallard", "clean", 1)};
  const auto pairs =
      compare_cells(cells, cells, selector{"AS1", "global"}, selector{"AS7", "mallard"});
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].key.ds, "DS1");
  EXPECT_DOUBLE_EQ(pairs[0].times_as_fast, 3.0);
}

TEST(Comparison, OverlappingIntervalsAreMarked) {
  const std::vector before = {make_cell("DS1", 6, "AS7", "mallard", "clean", 1.0)};
  const std::vector after = {make_cell("DS1", 6, "AS7", "mallard", "clean", 1.001)};
  const auto pairs = compare_cells(before, after, {}, {});
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_TRUE(pairs[0].overlap);
}

TEST(Comparison, ResultsOfDifferentScaleAreComparedPerLeaf) {
  const std::vector before = {make_cell("DS1", 6, "AS7", "mallard", "clean", 1.0)};
  std::vector after = before;
  after[0].leaves *= 2;
  EXPECT_DOUBLE_EQ(compare_cells(before, after, {}, {}).at(0).times_as_fast, 2.0);
}

TEST(Comparison, FailedCellsAreLeftOut) {
  const std::vector before = {make_cell("DS1", 6, "AS7", "mallard", "clean", 1.0)};
  std::vector after = before;
  after[0].error = "out of memory";
  EXPECT_TRUE(compare_cells(before, after, {}, {}).empty());
  EXPECT_TRUE(compare_cells(after, before, {}, {}).empty());
}

}  // namespace
}  // namespace mallard::cli
