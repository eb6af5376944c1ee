// The tables of the benches of mallocs, of made-up cells.
#include "cli/tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mallard::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

lab::cell_result make_cell(const std::string& bench, const std::string& malloc, lab::place at,
                           const std::string& measure, double value) {
  lab::cell_result cell;
  cell.bench = bench;
  cell.at = std::move(at);
  cell.strategy = "AS1";
  cell.peer = "global";
  cell.heap = "clean";
  cell.malloc = malloc;
  cell.measures[measure] = {"s", {value}, value, value, value};
  return cell;
}

TEST(malloc_tables, columns_are_threads_and_ratios_are_to_the_best_of_each) {
  std::vector<lab::cell_result> cells = {
      make_cell("churn", "glibc", {{"threads", 1}}, "time", 0.002),
      make_cell("churn", "glibc", {{"threads", 16}}, "time", 0.008),
      make_cell("churn", "other", {{"threads", 1}}, "time", 0.004),
      make_cell("churn", "other", {{"threads", 16}}, "time", 0.004),
  };
  const std::string text = tables(cells, "mallard", false);
  EXPECT_THAT(text,
              HasSubstr("threads                   1       16   |        1       16   g.mean"));
  EXPECT_THAT(text,
              HasSubstr("glibc                  2.00     8.00   |     1.00     2.00     1.41"));
  EXPECT_THAT(text,
              HasSubstr("other                  4.00     4.00   |     2.00     1.00     1.41"));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
  EXPECT_THAT(tables(cells, "mallard", true), HasSubstr("\033[30;48;2;"));
}

TEST(malloc_tables, more_is_better_for_throughput) {
  const std::string text =
      tables({make_cell("larson", "slow", {{"threads", 1}}, "throughput", 2e6),
              make_cell("larson", "fast", {{"threads", 1}}, "throughput", 6e6)},
             "mallard", false);
  EXPECT_THAT(text, HasSubstr("slow                   2.00   |     3.00     3.00"));
  EXPECT_THAT(text, HasSubstr("fast                   6.00   |     1.00     1.00"));
}

TEST(malloc_tables, chains_come_in_their_order_and_are_shortened) {
  std::vector<lab::cell_result> cells;
  for (const char* chain : {"malloc-realloc-free-calloc", "calloc-free", "malloc"}) {
    cells.push_back(
        make_cell("speed", "glibc", {{"chain", chain}, {"threads", 2}}, "per_op", 1e-8));
  }
  const std::string text = tables(cells, "mallard", false);
  EXPECT_THAT(text, HasSubstr("speed, threads 2: ns per call"));
  EXPECT_THAT(text, HasSubstr("chain                     m      c-f  m-r-f-c   |"));
}

TEST(malloc_tables, ratios_of_many_columns_are_below_the_figures) {
  std::vector<lab::cell_result> cells;
  for (const std::int64_t threads : {1, 2, 4, 8, 16, 32, 48}) {
    const double time = static_cast<double>(threads) / 1000;
    cells.push_back(make_cell("churn", "glibc", {{"threads", threads}}, "time", time));
    cells.push_back(make_cell("churn", "other", {{"threads", threads}}, "time", 2 * time));
  }
  const std::string text = tables(cells, "mallard", false);
  EXPECT_THAT(text, Not(HasSubstr("|")));
  EXPECT_THAT(text, HasSubstr("glibc                  1.00     2.00     4.00     8.00     16.0"));
  EXPECT_THAT(text, HasSubstr("times the best            1        2        4        8       16"));
  EXPECT_THAT(text, HasSubstr("other                  2.00     2.00     2.00     2.00     2.00"));
}

TEST(malloc_tables, failed_cells_are_no_best_ones) {
  lab::cell_result failed = make_cell("thrash", "broken", {{"threads", 1}}, "time", 0);
  failed.measures.clear();
  failed.error = "killed";
  const std::string text = tables(
      {failed, make_cell("thrash", "glibc", {{"threads", 1}}, "time", 0.001)}, "mallard", false);
  EXPECT_THAT(text, HasSubstr("broken                 FAIL   |        -        -"));
  EXPECT_THAT(text, HasSubstr("glibc                  1.00   |     1.00     1.00"));
}

TEST(malloc_tables, points_of_a_series_are_not_shown) {
  EXPECT_EQ(
      tables({make_cell("memory-series", "glibc", {{"point", 1}}, "rss", 1)}, "mallard", false),
      "");
}

}  // namespace
}  // namespace mallard::cli
