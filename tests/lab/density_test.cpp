// A whole small bench: every cell measured once, failures kept apart, resuming.
#include "lab/density.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "cells.hpp"
#include "lab/peers.hpp"

namespace mallard::lab {
namespace {

using testing::HasSubstr;

density_plan small_plan() {
  density_plan plan;
  plan.structures = {find_structure("DS1"), find_structure("DS7")};
  plan.sizes = {4, 5};
  const std::vector<const strategy*> strategies = {find_strategy("AS1"), find_strategy("AS3"),
                                                   find_strategy("AS3n"), find_strategy("AS9")};
  const std::vector<std::string> peers = {"std"};
  plan.columns = make_columns(strategies, peers);
  plan.heaps = {"clean"};
  plan.scale = 1.0 / (1 << 16);
  plan.repetitions = 2;
  return plan;
}

std::vector<cell_result> run(const density_plan& plan,
                             const std::vector<cell_result>& finished = {}) {
  std::vector<cell_result> cells;
  const auto end =
      run_density(plan, finished,
                  {.cell = [&](const cell_result& cell) { cells.push_back(cell); }, .step = {}});
  EXPECT_EQ(end, density_end::finished);
  return cells;
}

TEST(Density, MeasuresEveryCellOfThePlanOnce) {
  const density_plan plan = small_plan();
  const auto cells = run(plan);
  EXPECT_EQ(cells.size(), plan.cells());
  std::set<cell_key> keys;
  for (const cell_result& cell : cells) {
    keys.insert(cell.key);
    ASSERT_TRUE(cell.ok()) << cell.error;
    EXPECT_EQ(cell.seconds.size(), 2U);
    EXPECT_EQ(cell.rss_bytes.size(), 2U);
    EXPECT_EQ(cell.leaves, plan.leaves());
    EXPECT_GE(cell.runs * leaves_per_run(*find_structure(cell.key.ds), cell.key.size), cell.leaves);
    EXPECT_LE(cell.ci_low, cell.median);
    EXPECT_GE(cell.ci_high, cell.median);
    EXPECT_EQ(cell.mode, "fair");
  }
  EXPECT_EQ(keys.size(), cells.size());
}

TEST(Density, FinishedCellsAreNotMeasuredAgain) {
  density_plan plan = small_plan();
  auto first = run(plan);
  EXPECT_TRUE(run(plan, first).empty());
  const cell_key missing = first.back().key;
  first.pop_back();
  const auto rest = run(plan, first);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].key, missing);
}

TEST(Density, PaperModeRunsTheFixedNumberOfTimes) {
  density_plan plan = small_plan();
  plan.choices = mode::paper;
  plan.structures = {find_structure("DS1")};
  for (const cell_result& cell : run(plan)) {
    ASSERT_TRUE(cell.ok()) << cell.error;
    EXPECT_EQ(cell.runs, plan.leaves() >> cell.key.size);
    EXPECT_EQ(cell.mode, "paper");
  }
}

TEST(Density, FailedCellsDoNotStopTheOthers) {
  density_plan plan = small_plan();
  plan.timeout_seconds = 0.0005;  // less than the warm-up
  for (const cell_result& cell : run(plan)) EXPECT_THAT(cell.error, HasSubstr("timed out"));
}

TEST(Density, InterruptKeepsWhatHasBeenMeasured) {
  density_plan plan = small_plan();
  plan.repetitions = 100;
  static int asked = 0;
  asked = 0;
  std::vector<cell_result> cells;
  const auto end = run_density(plan, {},
                               {.cell = [&](const cell_result& cell) { cells.push_back(cell); },
                                .step = {},
                                .interrupted = [] { return ++asked > 10; }});
  EXPECT_EQ(end, density_end::interrupted);
  EXPECT_EQ(cells.size(), plan.columns.size());  // those of the first size
  std::size_t repetitions = 0;
  for (const cell_result& cell : cells) {
    EXPECT_TRUE(cell.ok());
    repetitions += cell.seconds.size();
  }
  EXPECT_EQ(repetitions, 10U);
}

TEST(Density, ProgressCountsUpToAllRepetitions) {
  const density_plan plan = small_plan();
  std::size_t last = 0;
  run_density(plan, {},
              {.cell = [](const cell_result&) {},
               .step =
                   [&](const progress& now) {
                     EXPECT_EQ(now.done, last + 1);
                     EXPECT_EQ(now.total, plan.cells() * 2);
                     EXPECT_GE(now.seconds_left, -1e-6);
                     last = now.done;
                   }});
  EXPECT_EQ(last, plan.cells() * 2);
}

TEST(Checksums, CellThatDidOtherWorkFails) {
  std::vector<cell_result> cells;
  for (const char* strategy : {"AS3", "AS4", "AS5"}) {
    cells.push_back(make_cell("DS1", 6, strategy, "std", "clean", 1));
  }
  cells[1].checksum = "bad";
  compare_checksums(cells, {});
  EXPECT_TRUE(cells[0].ok());
  EXPECT_THAT(cells[1].error, HasSubstr("checksum bad differs"));
  EXPECT_TRUE(cells[2].ok());
}

TEST(Checksums, EarlierCellsHaveAVote) {
  std::vector<cell_result> cells = {make_cell("DS1", 6, "AS3", "std", "clean", 1)};
  cells[0].checksum = "bad";
  const std::vector<cell_result> earlier = {make_cell("DS1", 6, "AS4", "std", "clean", 1),
                                            make_cell("DS1", 6, "AS5", "std", "clean", 1)};
  compare_checksums(cells, earlier);
  EXPECT_FALSE(cells[0].ok());
}

TEST(Buffers, AreLargeEnoughAndAtMostOneGiB) {
  EXPECT_GE(buffer_bytes(*find_structure("DS2"), 10), 1024U * 1100U);
  EXPECT_EQ(buffer_bytes(*find_structure("DS12"), 16), max_buffer_bytes);
  EXPECT_LT(buffer_bytes(*find_structure("DS1"), 6), 16U << 20);
}

}  // namespace
}  // namespace mallard::lab
