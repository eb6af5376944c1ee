// The tables of the benches of mallocs, of made-up cells.
#include "cli/malloc_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mallard::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

lab::series_cell make_cell(const std::string& bench, const std::string& malloc, lab::coordinates at,
                           const std::string& measure, double value) {
  lab::series_cell cell;
  cell.bench = bench;
  cell.at = std::move(at);
  cell.strategy = "AS1";
  cell.peer = "global";
  cell.heap = "clean";
  cell.malloc = malloc;
  cell.measures[measure] = {"s", {value}, value, value, value};
  return cell;
}

TEST(MallocTable, ColumnsAreThreadsAndRatiosAreToTheBestOfEach) {
  std::vector<lab::series_cell> cells = {
      make_cell("churn", "glibc", {{"threads", 1}}, "time", 0.002),
      make_cell("churn", "glibc", {{"threads", 16}}, "time", 0.008),
      make_cell("churn", "other", {{"threads", 1}}, "time", 0.004),
      make_cell("churn", "other", {{"threads", 16}}, "time", 0.004),
  };
  const std::string text = malloc_tables(cells, false);
  EXPECT_THAT(text,
              HasSubstr("threads                   1       16   |        1       16   g.mean"));
  EXPECT_THAT(text,
              HasSubstr("glibc                  2.00     8.00   |     1.00     2.00     1.41"));
  EXPECT_THAT(text,
              HasSubstr("other                  4.00     4.00   |     2.00     1.00     1.41"));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
  EXPECT_THAT(malloc_tables(cells, true), HasSubstr("\033[30;48;2;"));
}

TEST(MallocTable, MoreIsBetterForThroughput) {
  const std::string text =
      malloc_tables({make_cell("larson", "slow", {{"threads", 1}}, "throughput", 2e6),
                     make_cell("larson", "fast", {{"threads", 1}}, "throughput", 6e6)},
                    false);
  EXPECT_THAT(text, HasSubstr("slow                   2.00   |     3.00     3.00"));
  EXPECT_THAT(text, HasSubstr("fast                   6.00   |     1.00     1.00"));
}

TEST(MallocTable, ChainsComeInTheirOrderAndAreShortened) {
  std::vector<lab::series_cell> cells;
  for (const char* chain : {"malloc-realloc-free-calloc", "calloc-free", "malloc"}) {
    cells.push_back(
        make_cell("speed", "glibc", {{"chain", chain}, {"threads", 2}}, "per_op", 1e-8));
  }
  const std::string text = malloc_tables(cells, false);
  EXPECT_THAT(text, HasSubstr("speed, threads 2: ns per call"));
  EXPECT_THAT(text, HasSubstr("chain                     m      c-f  m-r-f-c   |"));
}

TEST(MallocTable, RatiosOfManyColumnsAreBelowTheFigures) {
  std::vector<lab::series_cell> cells;
  for (const std::int64_t threads : {1, 2, 4, 8, 16, 32, 48}) {
    const double time = static_cast<double>(threads) / 1000;
    cells.push_back(make_cell("churn", "glibc", {{"threads", threads}}, "time", time));
    cells.push_back(make_cell("churn", "other", {{"threads", threads}}, "time", 2 * time));
  }
  const std::string text = malloc_tables(cells, false);
  EXPECT_THAT(text, Not(HasSubstr("|")));
  EXPECT_THAT(text, HasSubstr("glibc                  1.00     2.00     4.00     8.00     16.0"));
  EXPECT_THAT(text, HasSubstr("times the best            1        2        4        8       16"));
  EXPECT_THAT(text, HasSubstr("other                  2.00     2.00     2.00     2.00     2.00"));
}

TEST(MallocTable, FailedCellsAreNoBestOnes) {
  lab::series_cell failed = make_cell("thrash", "broken", {{"threads", 1}}, "time", 0);
  failed.measures.clear();
  failed.error = "killed";
  const std::string text =
      malloc_tables({failed, make_cell("thrash", "glibc", {{"threads", 1}}, "time", 0.001)}, false);
  EXPECT_THAT(text, HasSubstr("broken                 FAIL   |        -        -"));
  EXPECT_THAT(text, HasSubstr("glibc                  1.00   |     1.00     1.00"));
}

TEST(MallocTable, CellsOfOtherBenchesAreLeftOut) {
  EXPECT_EQ(malloc_tables({make_cell("contention", "glibc", {{"threads", 1}}, "time", 1)}, false),
            "");
}

}  // namespace
}  // namespace mallard::cli
