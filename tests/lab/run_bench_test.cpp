// Whole small benches: every cell measured once, failures kept apart, resuming.
#include "lab/bench/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <vector>

#include "cells.hpp"
#include "lab/bench/cells_of.hpp"
#include "lab/measuring/malloc_library.hpp"
#include "lab/measuring/thread_team.hpp"
#include "plans.hpp"
#include "support/instrumented.hpp"

namespace mallard::lab {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::vector<contender> few = {column_named("AS1", "global"),  column_named("AS2", "global"),
                                    column_named("AS3", "mallard"), column_named("AS7", "mallard"),
                                    column_named("AS9", "mallard"), column_named("AS3", "std"),
                                    column_named("AS7", "std"),     column_named("AS9", "std")};

bench_plan small_plan() {
  return plan_of("utilization", {{"total", "20"}, {"active", "15,16"}, {"block", "10"}}, few);
}

TEST(run_bench, measures_every_cell_of_the_plan_once) {
  bench_plan plan = small_plan();
  plan.repetitions = 3;
  const auto cells = measure_all(plan);
  EXPECT_EQ(cells.size(), 2U * few.size());
  std::set<cell_key> keys;
  for (const cell_result& cell : cells) {
    keys.insert(cell.key());
    ASSERT_TRUE(cell.ok()) << cell.error;
    EXPECT_EQ(cell.bench, "utilization");
    EXPECT_EQ(cell.malloc, "glibc");
    EXPECT_EQ(cell.repetitions(), 3U);
    for (const char* name : {"time", "rss"}) {
      const lab::measure* taken = cell.find(name);
      ASSERT_NE(taken, nullptr) << name;
      EXPECT_GT(taken->median, 0);
      EXPECT_LE(taken->ci_low, taken->median);
      EXPECT_GE(taken->ci_high, taken->median);
    }
    EXPECT_EQ(cell.find("rss")->unit, "B");
  }
  EXPECT_EQ(keys.size(), cells.size());
}

TEST(run_bench, density_is_a_bench_like_any_other) {
  const bench_plan plan = plan_of("density", {{"ds", "1,7"}, {"sizes", "4,5"}, {"leaves", "2048"}},
                                  {column_named("AS1", "global"), column_named("AS3", "std"),
                                   column_named("AS3n", "std"), column_named("AS9", "std")});
  const double start = now();
  const auto cells = measure_all(plan);
  const double all = now() - start;
  EXPECT_EQ(cells.size(), 4U * 4U);
  for (const cell_result& cell : cells) {
    ASSERT_TRUE(cell.ok()) << cell.error;
    EXPECT_FALSE(cell.checksum.empty());
    EXPECT_GT(cell.median_of("time"), 0);
    EXPECT_LT(cell.median_of("time") * 2048, all) << "the time of one leaf";
    EXPECT_GE(cell.median_of("runs"), 1);
    const lab::measure& runs = *cell.find("runs");
    EXPECT_EQ(runs.samples.front(), runs.samples.back()) << "later repetitions do as many";
    for (const char* name : {"rss", "base_rss", "minor_faults", "major_faults", "setup"}) {
      EXPECT_NE(cell.find(name), nullptr) << name;
    }
  }
}

TEST(run_bench, paper_mode_runs_the_fixed_number_of_times) {
  const bench_plan plan =
      plan_of("density", {{"ds", "1"}, {"sizes", "4,5"}, {"leaves", "2048"}, {"paper", "1"}},
              {column_named("AS1", "global"), column_named("AS3", "std")});
  for (const cell_result& cell : measure_all(plan)) {
    ASSERT_TRUE(cell.ok()) << cell.error;
    EXPECT_EQ(cell.median_of("runs"), static_cast<double>(2048 >> cell.at.number("size")));
  }
}

TEST(run_bench, every_bench_of_columns_measures_its_figures) {
  const std::vector<contender> columns = {column_named("std", "std"), column_named("AS1", "global"),
                                          column_named("realloc", "global"),
                                          column_named("remap", "mallard")};
  struct expected {
    const char* bench;
    texts_of texts;
    std::set<std::string> measures;
  };
  const expected all[] = {
      {"expand-backward",
       {{"sizes", "2x100"}, {"type", "string"}},
       {"time", "calls", "capacity", "rss"}},
      {"shrink", {{"sizes", "2x100"}}, {"time", "rss_after", "rss"}},
      {"burst", {{"elements", "1000"}, {"ranges", "10"}}, {"insert", "erase", "calls", "rss"}},
      {"realloc",
       {{"rounds", "2"}, {"bytes", "200000"}, {"steps", "x2"}},
       {"time", "moved", "success", "rss"}},
      {"mixed", {{"live", "6"}, {"operations", "4"}, {"high", "1k"}}, {"time", "rss"}},
  };
  for (const expected& one : all) {
    const auto cells = measure_all(plan_of(one.bench, one.texts, columns));
    EXPECT_FALSE(cells.empty());
    for (const cell_result& cell : cells) {
      ASSERT_TRUE(cell.ok()) << cell.bench << cell.error;
      std::set<std::string> names;
      for (const auto& entry : cell.measures) {
        names.insert(entry.first);
        EXPECT_FALSE(entry.second.unit.empty()) << cell.bench << ' ' << entry.first;
      }
      EXPECT_EQ(names, one.measures) << cell.bench;
    }
  }
}

TEST(run_bench, monotonic_keeps_all_that_the_others_give_back) {
  if (mallard_test::instrumented) GTEST_SKIP();
  const auto cells =
      measure_all(plan_of("utilization", {{"total", "26"}, {"active", "16"}, {"block", "12"}},
                          {column_named("AS1", "global"), column_named("AS3", "mallard"),
                           column_named("AS7", "mallard")}));
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_GT(cells[1].median_of("rss"), 64e6);
  EXPECT_LT(cells[0].median_of("rss"), 40e6);
  EXPECT_LT(cells[2].median_of("rss"), 40e6);
}

TEST(run_bench, finished_cells_are_not_measured_again) {
  const bench_plan plan = small_plan();
  auto first = measure_all(plan);
  EXPECT_TRUE(measure_all(plan, first).empty());
  const cell_key missing = first.back().key();
  first.pop_back();
  const auto rest = measure_all(plan, first);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].key(), missing);
}

TEST(run_bench, memory_limit_fails_the_cells_that_need_more_and_no_others) {
  if (mallard_test::instrumented) GTEST_SKIP();
  bench_plan plan =
      plan_of("utilization", {{"total", "30"}, {"active", "16"}, {"block", "12"}}, few);
  plan.memory_limit = 400 << 20;
  const auto cells = measure_all(plan);
  ASSERT_EQ(cells.size(), few.size());
  for (const cell_result& cell : cells) {
    EXPECT_EQ(cell.error, cell.strategy == "AS3" ? "out of memory" : "") << contender_text(cell);
  }
}

TEST(run_bench, threads_that_run_out_of_memory_fail_their_cell_too) {
  if (mallard_test::instrumented) GTEST_SKIP();
  bench_plan plan = plan_of(
      "contention", {{"iterations", "20"}, {"block", "10"}, {"threads", "2"}, {"form", "own"}},
      {column_named("AS3", "mallard")});
  plan.memory_limit = 600 << 20;
  const auto cells = measure_all(plan);
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_EQ(cells[0].error, "out of memory");
}

// A bench made while the program runs, with a kernel for each of its contenders.
struct nothing {};
using test_kernel = kernel_of<nothing>;

bench bench_of(const std::vector<test_kernel>& kernels) {
  bench made;
  made.name = "made-up";
  made.axes = {integers("size", "1", "Anything")};
  made.measures = {{"time", "s", "Time"}, {"rss", "B", "Memory"}};
  made.kernel = [kernels](const contender& who, const place&) {
    return make_task(kernels.at(std::stoul(who.strategy)), nothing{});
  };
  return made;
}

std::vector<contender> one_for_each(const std::vector<test_kernel>& kernels) {
  std::vector<contender> all;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    all.push_back(column_named(std::to_string(i), "test"));
  }
  return all;
}

void good(const nothing&, readings& taken) {
  taken.add("time", 1);
  taken.checksum = 5;
}
void lazy(const nothing&, readings& taken) {
  taken.add("time", 0.5);
  taken.checksum = 4;
}
void moody(const nothing&, readings& taken) {
  taken.add("time", 1);
  taken.checksum = static_cast<std::uint64_t>(getpid());
}
void crash(const nothing&, readings&) {
  std::signal(SIGSEGV, SIG_DFL);  // AddressSanitizer has a handler of its own
  std::raise(SIGSEGV);
}
void hang(const nothing&, readings&) {
  sleep(60);
}
void many(const nothing&, readings& taken) {
  for (std::int64_t part = 0; part < 1000; ++part) taken.add("time", 1, part);
}

TEST(run_bench, cell_that_did_other_work_than_the_others_fails) {
  const std::vector<test_kernel> kernels = {good, lazy, good, moody};
  const bench what = bench_of(kernels);
  const auto cells = measure_all(plan_of(what, {}, one_for_each(kernels)));
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_TRUE(cells[0].ok());
  EXPECT_EQ(cells[1].error,
            "the checksum 0000000000000004 differs from the others' 0000000000000005");
  EXPECT_TRUE(cells[2].ok());
  EXPECT_EQ(cells[3].error, "the checksum differs between repetitions");
}

TEST(run_bench, crashes_and_timeouts_fail_their_cell_and_the_rest_goes_on) {
  const std::vector<test_kernel> kernels = {crash, hang, good};
  const bench what = bench_of(kernels);
  bench_plan plan = plan_of(what, {}, one_for_each(kernels));
  plan.timeout_seconds = 0.5;
  const auto cells = measure_all(plan);
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_THAT(cells[0].error, StartsWith("was killed by signal 11"));
  EXPECT_EQ(cells[1].error, "timed out after 0.5 s");
  ASSERT_TRUE(cells[2].ok()) << cells[2].error;
  EXPECT_EQ(cells[2].median_of("time"), 1);
}

TEST(run_bench, one_process_may_measure_several_cells) {
  const std::vector<test_kernel> kernels = {many};
  bench what = bench_of(kernels);
  what.parts.name = "point";
  what.parts.value = [](std::int64_t part) -> coordinate { return part; };
  what.parts.series = "points";
  auto cells = measure_all(plan_of(what, {}, one_for_each(kernels)));
  ASSERT_EQ(cells.size(), 1001U);  // and the cell itself, which has its memory
  EXPECT_EQ(cells[0].bench, "made-up");
  EXPECT_EQ(cells[1].bench, "points");
  EXPECT_EQ(cells[1000].at.number("point"), 999);
  EXPECT_EQ(cells[1].repetitions(), 1U) << "a series is of one run";

  what.parts.series.clear();
  what.parts.expected = [](const place&) { return std::vector<std::int64_t>{3, 4}; };
  cells = measure_all(plan_of(what, {}, one_for_each(kernels)));
  ASSERT_GE(cells.size(), 1000U);
  EXPECT_EQ(cells.back().bench, "made-up");
  EXPECT_EQ(cells.back().repetitions(), 2U);
  EXPECT_TRUE(measure_all(plan_of(what, {}, one_for_each(kernels)), cells).empty());
}

TEST(run_bench, interrupt_keeps_what_has_been_measured) {
  bench_plan plan = small_plan();
  plan.repetitions = 100;
  static int asked = 0;
  asked = 0;
  std::size_t repetitions = 0;
  const auto end = run_bench(plan, {},
                             {.cell =
                                  [&](const cell_result& cell) {
                                    EXPECT_TRUE(cell.ok());
                                    repetitions += cell.repetitions();
                                  },
                              .step = {},
                              .interrupted = [] { return ++asked > 10; }});
  EXPECT_EQ(end, bench_end::interrupted);
  EXPECT_EQ(repetitions, 10U);
}

TEST(run_bench, progress_counts_up_to_all_repetitions) {
  const std::vector<test_kernel> kernels = {good, good, crash};
  const bench what = bench_of(kernels);
  std::size_t last = 0;
  run_bench(plan_of(what, {}, one_for_each(kernels)), {},
            {.cell = [](const cell_result&) {},
             .step =
                 [&](const progress& now) {
                   EXPECT_EQ(now.done, last + 1);
                   EXPECT_EQ(now.total, 6U);
                   EXPECT_GE(now.seconds_left, -1e-6);
                   last = now.done;
                 }});
  EXPECT_EQ(last, 6U);
}

TEST(checksums, cell_that_did_other_work_fails) {
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

TEST(checksums, earlier_cells_have_a_vote) {
  std::vector<cell_result> cells = {make_cell("DS1", 6, "AS3", "std", "clean", 1)};
  cells[0].checksum = "bad";
  const std::vector<cell_result> earlier = {make_cell("DS1", 6, "AS4", "std", "clean", 1),
                                            make_cell("DS1", 6, "AS5", "std", "clean", 1)};
  compare_checksums(cells, earlier);
  EXPECT_FALSE(cells[0].ok());
}

TEST(malloc_library, names_come_from_the_file) {
  EXPECT_EQ(library_name("/usr/lib/libjemalloc.so.2"), "jemalloc");
  EXPECT_EQ(library_name("libtcmalloc_minimal.so.4.5.10"), "tcmalloc");
  EXPECT_EQ(library_name("/opt/libtbbmalloc_proxy.so.2"), "tbbmalloc");
  EXPECT_EQ(library_name("libmallard-malloc.so.0"), "mallard");
  EXPECT_EQ(library_name("libmallard-malloc-hardened.so"), "mallard-hardened");
  EXPECT_EQ(library_name("/lib/x86_64-linux-gnu/libc.so.6"), "c");
  EXPECT_EQ(library_name(""), "");
}

TEST(malloc_library, tests_run_on_the_systems_own) {
  if (mallard_test::instrumented) GTEST_SKIP();
  EXPECT_EQ(malloc_name(), "glibc");
  EXPECT_FALSE(malloc_is_replaced());
}

}  // namespace
}  // namespace mallard::lab
