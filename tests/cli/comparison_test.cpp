#include "cli/comparison.hpp"

#include <gtest/gtest.h>

#include "cells.hpp"
#include "cli/usage_error.hpp"

namespace mallard::cli {
namespace {

using lab::make_series_cell;

TEST(selector, is_a_strategy_or_a_malloc_that_was_measured) {
  std::vector cells = {make_series_cell(4, "AS1", "global", "clean", 2),
                       make_series_cell(4, "v2", "boost", "clean", 2)};
  cells[1].malloc = "jemalloc";
  EXPECT_EQ(parse_selector("--base", "AS1", cells).peer, "global");
  EXPECT_EQ(parse_selector("--base", "v2@boost", cells).strategy, "v2");
  EXPECT_EQ(parse_selector("--base", "jemalloc", cells).malloc, "jemalloc");
  EXPECT_THROW(parse_selector("--base", "v2", cells), usage_error);  // of ours there is none
  EXPECT_THROW(parse_selector("--base", "mimalloc", cells), usage_error);
  EXPECT_THROW(parse_selector("--base", "", cells), usage_error);
}

TEST(comparison, pairs_equal_cells_of_two_results) {
  const std::vector before = {make_series_cell(4, "AS7", "mallard", "clean", 2),
                              make_series_cell(5, "AS7", "mallard", "clean", 2)};
  const std::vector after = {make_series_cell(4, "AS7", "mallard", "clean", 1),
                             make_series_cell(4, "AS7", "mallard", "aged", 1),
                             make_series_cell(4, "AS7", "std", "clean", 1)};
  const auto pairs = compare_figures(before, after, {}, {}, "");
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_DOUBLE_EQ(pairs[0].times_as_fast, 2);
  EXPECT_FALSE(pairs[0].overlap);
  const std::string text = comparison_text(pairs);
  EXPECT_NE(text.find("locality, AS7@mallard  clean     2.000      1       1       0      0\n"),
            text.npos)
      << text;
  EXPECT_NE(text.find("    2.00   links 2097152, subsystem 4"), text.npos) << text;
}

TEST(comparison, pairs_two_strategies_or_two_mallocs_of_one_result) {
  std::vector cells = {make_series_cell(4, "AS1", "global", "clean", 3),
                       make_series_cell(4, "AS7", "mallard", "clean", 1),
                       make_series_cell(4, "AS1", "global", "clean", 6)};
  cells[2].malloc = "jemalloc";
  const auto compared = [&](const char* base, const char* against) {
    return compare_figures(cells, cells, parse_selector("", base, cells),
                           parse_selector("", against, cells), "");
  };
  const auto strategies = compared("AS1", "AS7");
  ASSERT_EQ(strategies.size(), 1U);
  EXPECT_DOUBLE_EQ(strategies[0].times_as_fast, 3);
  const auto mallocs = compared("glibc", "jemalloc");
  ASSERT_EQ(mallocs.size(), 1U);
  EXPECT_DOUBLE_EQ(mallocs[0].times_as_fast, 0.5);
  EXPECT_EQ(mallocs[0].key.malloc, "jemalloc");
}

TEST(comparison, two_results_under_one_malloc_each_are_compared_all_the_same) {
  const std::vector before = {make_series_cell(4, "AS1", "global", "clean", 2)};
  std::vector after = {make_series_cell(4, "AS1", "global", "clean", 1)};
  after[0].malloc = "jemalloc";
  EXPECT_EQ(compare_figures(before, after, {}, {}, "").size(), 1U);
  after.push_back(make_series_cell(5, "AS1", "global", "clean", 1));
  EXPECT_TRUE(compare_figures(before, after, {}, {}, "").empty());
}

TEST(comparison, of_rates_more_is_better_and_any_measure_can_be_chosen) {
  std::vector before = {make_series_cell(4, "AS1", "global", "clean", 2)};
  std::vector after = before;
  before[0].measures["rate"] = lab::summarise("1/s", {10}, 1);
  after[0].measures["rate"] = lab::summarise("1/s", {30}, 1);
  const auto pairs = compare_figures(before, after, {}, {}, "rate");
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_DOUBLE_EQ(pairs[0].times_as_fast, 3);
  EXPECT_TRUE(compare_figures(before, after, {}, {}, "unheard_of").empty());
  EXPECT_TRUE(compare_figures(before, after, {}, {}, "").at(0).overlap);
  after[0].error = "crashed";
  EXPECT_TRUE(compare_figures(before, after, {}, {}, "rate").empty());
}

}  // namespace
}  // namespace mallard::cli
