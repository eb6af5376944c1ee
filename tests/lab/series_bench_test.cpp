// Whole small series: every cell measured once, failures kept apart, resuming; and the plans.
#include "lab/series_bench.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <vector>

#include "lab/malloc_library.hpp"
#include "lab/series_plans.hpp"
#include "sanitized.hpp"

namespace mallard::lab {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

series_conditions small_conditions() {
  series_conditions under;
  under.columns = make_series_columns({"AS1", "AS2", "AS3", "AS7", "AS9"}, {"mallard", "std"});
  under.heaps = {"clean"};
  under.repetitions = 3;
  under.timeout_seconds = 20;
  return under;
}

series_plan small_plan() {
  return plan_utilization(
      {{.total = 20, .active = 15, .block = 10}, {.total = 20, .active = 16, .block = 12}},
      small_conditions());
}

std::vector<series_cell> run(const series_plan& plan,
                             const std::vector<series_cell>& finished = {}) {
  std::vector<series_cell> cells;
  const auto end =
      run_series(plan, finished,
                 {.cell = [&](const series_cell& cell) { cells.push_back(cell); }, .step = {}});
  EXPECT_EQ(end, bench_end::finished);
  return cells;
}

TEST(Series, MeasuresEveryCellOfThePlanOnce) {
  const series_plan plan = small_plan();
  const auto cells = run(plan);
  EXPECT_EQ(cells.size(), 2U * (2 + 2 * 3));
  std::set<series_key> keys;
  for (const series_cell& cell : cells) {
    keys.insert(cell.key());
    ASSERT_TRUE(cell.ok()) << cell.error;
    EXPECT_EQ(cell.bench, "utilization");
    EXPECT_EQ(cell.malloc, "glibc");
    for (const char* name : {"time", "rss"}) {
      const measure* taken = cell.find(name);
      ASSERT_NE(taken, nullptr) << name;
      EXPECT_EQ(taken->samples.size(), 3U);
      EXPECT_GT(taken->median, 0);
      EXPECT_LE(taken->ci_low, taken->median);
      EXPECT_GE(taken->ci_high, taken->median);
    }
    EXPECT_EQ(cell.find("rss")->unit, "B");
  }
  EXPECT_EQ(keys.size(), cells.size());
}

TEST(Series, MonotonicKeepsAllThatTheOthersGiveBack) {
  if (sanitized) GTEST_SKIP();
  series_conditions under = small_conditions();
  under.columns = make_series_columns({"AS1", "AS3", "AS7"}, {"mallard"});
  const auto cells = run(plan_utilization({{.total = 26, .active = 16, .block = 12}}, under));
  ASSERT_EQ(cells.size(), 3U);
  const auto rss = [&](std::size_t i) { return cells[i].find("rss")->median; };
  EXPECT_GT(rss(1), 64e6);
  EXPECT_LT(rss(0), 40e6);
  EXPECT_LT(rss(2), 40e6);
}

TEST(Series, FinishedCellsAreNotMeasuredAgain) {
  const series_plan plan = small_plan();
  auto first = run(plan);
  EXPECT_TRUE(run(plan, first).empty());
  const series_key missing = first.back().key();
  first.pop_back();
  const auto rest = run(plan, first);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].key(), missing);
}

TEST(Series, MemoryLimitFailsTheCellsThatNeedMoreAndNoOthers) {
  if (sanitized) GTEST_SKIP();
  series_conditions under = small_conditions();
  under.memory_limit = 400 << 20;
  const auto cells = run(plan_utilization({{.total = 30, .active = 16, .block = 12}}, under));
  ASSERT_EQ(cells.size(), 8U);
  for (const series_cell& cell : cells) {
    EXPECT_EQ(cell.error, cell.strategy == "AS3" ? "out of memory" : "")
        << cell.strategy << '@' << cell.peer;
  }
}

TEST(Series, ThreadsThatRunOutOfMemoryFailTheirCellToo) {
  if (sanitized) GTEST_SKIP();
  series_conditions under = small_conditions();
  under.columns = make_series_columns({"AS3"}, {"mallard"});
  under.memory_limit = 600 << 20;
  const auto cells = run(plan_contention(
      {.iterations = {20}, .blocks = {10}, .threads = {2}, .forms = {sharing::own}}, under));
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_EQ(cells[0].error, "out of memory");
}

// Kernels for tests: a place is as good as any other.
series_plan plan_of(const std::vector<series_kernel<utilization_work>>& kernels) {
  series_plan plan = small_plan();
  plan.repetitions = 2;
  plan.cells.resize(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    plan.cells[i].what.task = series_task<utilization_work>{kernels[i], {}};
  }
  return plan;
}

void good(const utilization_work&, readings& taken) {
  taken.add("time", "s", 1);
  taken.checksum = 5;
}
void lazy(const utilization_work&, readings& taken) {
  taken.add("time", "s", 0.5);
  taken.checksum = 4;
}
void moody(const utilization_work&, readings& taken) {
  taken.add("time", "s", 1);
  taken.checksum = static_cast<std::uint64_t>(getpid());
}
void crash(const utilization_work&, readings&) {
  std::signal(SIGSEGV, SIG_DFL);  // AddressSanitizer has a handler of its own
  std::raise(SIGSEGV);
}
void hang(const utilization_work&, readings&) {
  sleep(60);
}

TEST(Series, CellThatDidOtherWorkThanTheOthersFails) {
  const auto cells = run(plan_of({good, lazy, good, moody}));
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_TRUE(cells[0].ok());
  EXPECT_EQ(cells[1].error,
            "the checksum 0000000000000004 differs from the others' 0000000000000005");
  EXPECT_TRUE(cells[2].ok());
  EXPECT_EQ(cells[3].error, "the checksum differs between repetitions");
}

TEST(Series, CrashesAndTimeoutsFailTheirCellAndTheRestGoesOn) {
  series_plan plan = plan_of({crash, hang, good});
  plan.cells[1].what.timeout_seconds = 0.2;
  const auto cells = run(plan);
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_THAT(cells[0].error, StartsWith("killed by signal 11"));
  EXPECT_EQ(cells[1].error, "timed out after 0.2 s");
  EXPECT_TRUE(cells[2].ok());
  EXPECT_EQ(cells[2].find("time")->median, 1);
}

TEST(Series, InterruptKeepsWhatHasBeenMeasured) {
  series_plan plan = small_plan();
  plan.repetitions = 100;
  static int asked = 0;
  asked = 0;
  std::size_t repetitions = 0;
  const auto end = run_series(plan, {},
                              {.cell =
                                   [&](const series_cell& cell) {
                                     EXPECT_TRUE(cell.ok());
                                     repetitions += cell.find("time")->samples.size();
                                   },
                               .step = {},
                               .interrupted = [] { return ++asked > 10; }});
  EXPECT_EQ(end, bench_end::interrupted);
  EXPECT_EQ(repetitions, 10U);
}

TEST(Series, ProgressCountsUpToAllRepetitions) {
  const series_plan plan = plan_of({good, good, crash});
  std::size_t last = 0;
  run_series(plan, {},
             {.cell = [](const series_cell&) {},
              .step =
                  [&](const progress& now) {
                    EXPECT_EQ(now.done, last + 1);
                    EXPECT_EQ(now.total, 6U);
                    last = now.done;
                  }});
  EXPECT_EQ(last, 6U);
}

const locality_work& locality_of(const planned_cell& cell) {
  return std::get<series_task<locality_work>>(cell.what.task).work;
}

TEST(Plans, LocalityHasAPlaceForEachSubsystemAccessAndShuffle) {
  locality_sizes sizes;
  sizes.total = {.links = 1 << 12, .base = 2};
  sizes.subsystems = {0, 8, 12, 13};  // the last one is larger than all
  sizes.accesses = {1, 8};
  sizes.touches = 32;
  sizes.shuffles = {0, 5};
  series_conditions under = small_conditions();
  under.columns = make_series_columns({"AS1"}, {});
  const series_plan plan = plan_locality(sizes, under);
  ASSERT_EQ(plan.cells.size(), 3U * 2U * 2U);
  for (const planned_cell& cell : plan.cells) {
    const locality_work& work = locality_of(cell);
    EXPECT_EQ(work.lists * work.links_per_list, 4096U);
    EXPECT_EQ(work.steps_per_list * work.repeats, 32 * work.links_per_list);
    EXPECT_EQ(work.moves, 4096U * static_cast<std::uint64_t>(
                                      std::get<std::int64_t>(cell.key.at.at("shuffles"))));
  }
}

TEST(Plans, CountsOfLocalityDoNotWrapAroundAsTheOriginalsDid) {
  locality_sizes sizes;
  sizes.total = {.links = 1 << 25, .base = 2};
  sizes.subsystems = {25};
  sizes.accesses = {256};  // 2^33 steps: 0 in 32 bits
  sizes.touches = 256;
  sizes.shuffles = {65536};
  const series_plan plan = plan_locality(sizes, small_conditions());
  EXPECT_EQ(locality_of(plan.cells[0]).steps_per_list, std::uint64_t{1} << 33);
  EXPECT_EQ(locality_of(plan.cells[0]).moves, std::uint64_t{1} << 41);
}

TEST(Plans, PowersOfTenHaveSubsystemsOfPowersOfTen) {
  locality_sizes sizes;
  sizes.total = {.links = 10'000'000, .base = 10};
  sizes.subsystems = {0, 3, 7};
  sizes.accesses = {10};
  sizes.repeats = 100;
  sizes.shuffles = {1};
  series_conditions under = small_conditions();
  under.columns = make_series_columns({"AS1"}, {});
  const series_plan plan = plan_locality(sizes, under);
  ASSERT_EQ(plan.cells.size(), 3U);
  EXPECT_EQ(locality_of(plan.cells[0]).lists, 10'000'000U);
  EXPECT_EQ(locality_of(plan.cells[1]).links_per_list, 1000U);
  EXPECT_EQ(locality_of(plan.cells[2]).lists, 1U);
  EXPECT_EQ(locality_of(plan.cells[2]).repeats, 100U);
}

TEST(Plans, HandingOverTakesPairs) {
  const series_plan plan = plan_contention(
      {.iterations = {10}, .blocks = {8}, .threads = {1, 2, 3, 4}, .forms = {sharing::handoff}},
      small_conditions());
  std::set<lab::coordinate> threads;
  for (const planned_cell& cell : plan.cells) threads.insert(cell.key.at.at("threads"));
  EXPECT_EQ(threads, (std::set<coordinate>{2, 4}));
}

TEST(Plans, FewIterationsAreRepeatedAndManyAreNot) {
  const auto rounds = [](int iterations) {
    const series_plan plan = plan_contention(
        {.iterations = {iterations}, .blocks = {8}, .threads = {1}, .forms = {sharing::own}},
        small_conditions());
    return std::get<series_task<contention_work>>(plan.cells[0].what.task).work.rounds;
  };
  EXPECT_EQ(rounds(15), 8U);
  EXPECT_EQ(rounds(18), 1U);
  EXPECT_EQ(rounds(19), 1U);
}

TEST(Plans, GlobalStrategiesAreThereOnceWhateverThePeers) {
  const auto columns = make_series_columns({"AS2", "AS1", "AS7"}, {"mallard", "std"});
  EXPECT_EQ(columns.size(), 4U);
  EXPECT_EQ(columns[0], (series_column{"AS2", "global"}));
  EXPECT_EQ(columns[3], (series_column{"AS7", "std"}));
}

TEST(MallocLibrary, NamesComeFromTheFile) {
  EXPECT_EQ(library_name("/usr/lib/libjemalloc.so.2"), "jemalloc");
  EXPECT_EQ(library_name("libtcmalloc_minimal.so.4.5.10"), "tcmalloc");
  EXPECT_EQ(library_name("/opt/libtbbmalloc_proxy.so.2"), "tbbmalloc");
  EXPECT_EQ(library_name("/lib/x86_64-linux-gnu/libc.so.6"), "c");
  EXPECT_EQ(library_name(""), "");
}

TEST(MallocLibrary, TestsRunOnTheSystemsOwn) {
  if (sanitized) GTEST_SKIP();
  EXPECT_EQ(malloc_name(), "glibc");
  EXPECT_FALSE(malloc_is_replaced());
}

}  // namespace
}  // namespace mallard::lab
