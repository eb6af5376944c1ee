// Processes that measure a malloc: what they call, what they answer, and how they fail.
#include "lab/malloc_process.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "counted_calls.hpp"
#include "moody_sizes.hpp"
#include "sanitized.hpp"

namespace mallard::lab {
namespace {

using mallard_test::counted_calls;
using testing::HasSubstr;

const allocator_library system_malloc{"glibc", {}};
const allocator_library counting{"counting", COUNTING_MALLOC};
const allocator_library moody{"moody", MOODY_MALLOC};

malloc_outcome run(const allocator_library& on, const malloc_job& what, double timeout = 60) {
  return run_malloc_job(MALLARD_COMMAND, on, what, timeout, nullptr);
}

malloc_job small_job(malloc_bench bench, std::uint64_t operations) {
  malloc_job what;
  what.bench = bench;
  what.operations = operations;
  what.touches = 3;
  what.slots = 8;
  what.batch = bench == malloc_bench::memory ? operations : 10;
  what.seconds = 0.02;
  what.sizes = size_mix::fixed(64);
  return what;
}

// Programs under a sanitizer have their own malloc.
class MallocProcess : public testing::Test {
 protected:
  void SetUp() override {
    if (sanitized) GTEST_SKIP();
  }
};

// Maps the file in which the library counts.
class MallocCalls : public MallocProcess {
 protected:
  struct totals {
    std::int64_t malloc, calloc, realloc, free, bytes, changes;
    totals operator-(const totals& other) const {
      return {malloc - other.malloc, calloc - other.calloc, realloc - other.realloc,
              free - other.free,     bytes - other.bytes,   changes - other.changes};
    }
  };

  void SetUp() override {
    MallocProcess::SetUp();
    if (IsSkipped()) return;
    const int file = open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    ASSERT_EQ(ftruncate(file, sizeof(counted_calls)), 0);
    void* mapped =
        mmap(nullptr, sizeof(counted_calls), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    ASSERT_NE(mapped, MAP_FAILED);
    counts_ = static_cast<counted_calls*>(mapped);
    setenv("COUNTS_FILE", path_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("COUNTS_FILE");
    unlink(path_.c_str());
    if (counts_) munmap(counts_, sizeof(counted_calls));
  }

  totals count(const malloc_job& what) {
    for (auto& one : counts_->calls) one = 0;
    counts_->bytes = 0;
    counts_->changes = 0;
    counts_->last = -1;
    const malloc_outcome outcome = run(counting, what);
    EXPECT_TRUE(outcome.ok()) << outcome.error.data();
    return {counts_->calls[counted_calls::malloc],
            counts_->calls[counted_calls::calloc],
            counts_->calls[counted_calls::realloc],
            counts_->calls[counted_calls::free],
            counts_->bytes,
            counts_->changes};
  }

  // What 1,000 operations more call: what starting a program and its threads calls is gone.
  totals calls_of_thousand(malloc_job what) {
    what.operations = 1000;
    if (what.bench == malloc_bench::memory) what.batch = 1000;
    const totals few = count(what);
    what.operations = 2000;
    if (what.bench == malloc_bench::memory) what.batch = 2000;
    return count(what) - few;
  }

 private:
  const std::string path_ = testing::TempDir() + "malloc_calls_" + std::to_string(getpid());
  counted_calls* counts_ = nullptr;
};

TEST_F(MallocCalls, EachChainCallsItsRoutinesForAllBlocksInTurn) {
  for (std::size_t chain = 0; chain < speed_chains.size(); ++chain) {
    malloc_job what = small_job(malloc_bench::speed, 0);
    what.chains = std::uint32_t{1} << chain;
    const totals found = calls_of_thousand(what);
    // Before the clock starts, blocks for a chain that begins with using them; after it has
    // stopped, they are freed.
    std::map<routine, int> expected;
    const auto& routines = speed_chains[chain].routines;
    for (const routine one : routines) ++expected[one];
    if (routines[0] == routine::realloc || routines[0] == routine::free)
      ++expected[routine::malloc];
    expected[routine::free] = expected[routine::malloc] + expected[routine::calloc];
    const char* name = speed_chains[chain].name;
    EXPECT_EQ(found.malloc, 1000 * expected[routine::malloc]) << name;
    EXPECT_EQ(found.calloc, 1000 * expected[routine::calloc]) << name;
    EXPECT_EQ(found.realloc, 1000 * expected[routine::realloc]) << name;
    EXPECT_EQ(found.free, 1000 * expected[routine::free]) << name;
    EXPECT_EQ(found.changes, 0) << name << ": the routines take turns";
  }
}

TEST_F(MallocCalls, ReallocGetsNewSizesOrTheSame) {
  malloc_job what = small_job(malloc_bench::speed, 0);
  what.chains = 1U << 7U;  // malloc-realloc
  what.sizes = size_mix::uniform(50, 500, 50);
  what.same_size = true;
  const totals same = calls_of_thousand(what);
  EXPECT_EQ(same.bytes % 2, 0);
  what.same_size = false;
  EXPECT_NE(calls_of_thousand(what).bytes, same.bytes);
}

TEST_F(MallocCalls, ChurnReplacesOneBlockAnOperation) {
  for (const bool shared : {true, false}) {
    malloc_job what = small_job(malloc_bench::churn, 0);
    what.shared_spots = shared;
    const totals found = calls_of_thousand(what);
    EXPECT_EQ(found.malloc, 1000);
    EXPECT_EQ(found.free, 1000);
    EXPECT_EQ(found.bytes, 64 * 1000);
    EXPECT_GT(found.changes, 1000);
    what.threads = 4;
    EXPECT_EQ(calls_of_thousand(what).free, 4000) << "blocks of several threads are lost";
  }
}

TEST_F(MallocCalls, ThrashAndScratchHaveOneBlockAtATime) {
  for (const malloc_bench bench : {malloc_bench::thrash, malloc_bench::scratch}) {
    malloc_job what = small_job(bench, 0);
    what.threads = 2;
    const totals found = calls_of_thousand(what);
    EXPECT_EQ(found.malloc, 2000);
    EXPECT_EQ(found.free, 2000);
  }
  // The blocks that the main thread gives away, and the chunks of the warm-up.
  malloc_job what = small_job(malloc_bench::scratch, 100);
  what.threads = 4;
  const malloc_job plain = small_job(malloc_bench::thrash, 100);
  malloc_job thrash = plain;
  thrash.threads = 4;
  EXPECT_EQ((count(what) - count(thrash)).malloc, 4);
  malloc_job warm = thrash;
  warm.warm_ups = 50;
  const totals chunks = count(warm) - count(thrash);
  EXPECT_EQ(chunks.malloc, 200);
  EXPECT_EQ(chunks.free, 200);
  EXPECT_EQ(chunks.bytes, 200 * 16);
}

TEST_F(MallocCalls, ConsumersFreeEverythingThatProducersAllocate) {
  malloc_job what = small_job(malloc_bench::memory, 0);
  what.threads = 2;
  what.consumers = 3;
  const totals found = calls_of_thousand(what);
  EXPECT_EQ(found.malloc, 6000);
  EXPECT_EQ(found.free, 6000);
}

TEST_F(MallocCalls, RemoteFreeAllocatesInOneOrBothOfAPair) {
  malloc_job what = small_job(malloc_bench::remote_free, 0);
  what.threads = 2;
  what.ping_pong = false;
  EXPECT_EQ(calls_of_thousand(what).free, 2000);
  what.ping_pong = true;
  const totals both = calls_of_thousand(what);
  EXPECT_EQ(both.malloc, 4000);
  EXPECT_EQ(both.free, 4000);
}

TEST_F(MallocCalls, MixedReplacesBlocksTwiceOver) {
  malloc_job what = small_job(malloc_bench::mixed, 0);
  what.threads = 2;
  what.remote_share = 0.25;
  EXPECT_EQ(calls_of_thousand(what).malloc, 2 * 2 * 1000);
}

TEST_F(MallocProcess, EveryBenchAnswersWithPositiveFigures) {
  const std::map<malloc_bench, std::set<malloc_figure>> expected = {
      {malloc_bench::churn,
       {malloc_figure::time, malloc_figure::time_with_threads, malloc_figure::user,
        malloc_figure::system, malloc_figure::rss}},
      {malloc_bench::thrash, {malloc_figure::time, malloc_figure::rss}},
      {malloc_bench::scratch, {malloc_figure::time, malloc_figure::rss}},
      {malloc_bench::larson, {malloc_figure::throughput, malloc_figure::rss}},
      {malloc_bench::remote_free, {malloc_figure::time, malloc_figure::per_op, malloc_figure::rss}},
      {malloc_bench::mixed,
       {malloc_figure::time, malloc_figure::rss, malloc_figure::malloc_p50,
        malloc_figure::malloc_p99, malloc_figure::malloc_p999, malloc_figure::free_p50,
        malloc_figure::free_p99, malloc_figure::free_p999}},
  };
  for (const auto& [bench, figures] : expected) {
    malloc_job what = small_job(bench, 2000);
    what.threads = 3;
    what.remote_share = 0.5;
    const malloc_outcome outcome = run(system_malloc, what);
    ASSERT_TRUE(outcome.ok()) << to_string(bench) << ": " << outcome.error.data();
    std::set<malloc_figure> found;
    for (const malloc_reading& one : outcome.measured.all()) {
      found.insert(one.what);
      EXPECT_TRUE(std::isfinite(one.value) && one.value >= 0) << name_of(one.what);
      // Of the medians the clock's own cost is taken away, which may leave nothing.
      const bool may_be_none =
          one.what == malloc_figure::user || one.what == malloc_figure::system ||
          one.what == malloc_figure::malloc_p50 || one.what == malloc_figure::free_p50;
      EXPECT_TRUE(may_be_none || one.value > 0) << to_string(bench) << " " << name_of(one.what);
    }
    EXPECT_EQ(found, figures) << to_string(bench);
  }
}

TEST_F(MallocProcess, MemoryGrowsWithWhatIsRequestedAndThenItIsFreed) {
  const malloc_job what = small_job(malloc_bench::memory, 80'000);
  const malloc_outcome outcome = run(system_malloc, what);
  ASSERT_TRUE(outcome.ok()) << outcome.error.data();
  std::map<std::size_t, std::map<malloc_figure, double>> points;
  for (const malloc_reading& one : outcome.measured.all()) points[one.group][one.what] = one.value;
  ASSERT_EQ(points.size(), 1U + memory_points);
  const double all = 80'000.0 * 64;
  EXPECT_EQ(points[1][malloc_figure::requested], 0);
  EXPECT_EQ(points[memory_points][malloc_figure::requested], 0);
  // One producer and one consumer: the first half of the operations are all allocations.
  EXPECT_NEAR(points[memory_points / 2][malloc_figure::requested] / all, 1, 0.1);
  EXPECT_GE(points[0][malloc_figure::peak_dynamic], all);
  EXPECT_GE(points[0][malloc_figure::peak_rss], points[1][malloc_figure::rss] + all);
  // Stacks, tables and the program are no part of what malloc holds.
  EXPECT_LT(points[0][malloc_figure::peak_dynamic], 4 * all);
  EXPECT_EQ(points[1][malloc_figure::total_dynamic], 0);
  for (std::size_t i = 2; i <= memory_points; ++i) {
    EXPECT_GT(points[i][malloc_figure::elapsed], 0) << i;
    EXPECT_EQ(points[i][malloc_figure::total_dynamic_thesis],
              points[i][malloc_figure::heap] + points[i][malloc_figure::mmap] +
                  points[i][malloc_figure::mmap_so]);
  }
}

TEST_F(MallocProcess, OwnTablesAreNoPartOfTheResidentSet) {
  malloc_job what = small_job(malloc_bench::churn, 1000);
  const auto rss = [&](std::uint64_t spots) {
    what.slots = spots;
    for (const malloc_reading& one : run(system_malloc, what).measured.all()) {
      if (one.what == malloc_figure::rss) return one.value;
    }
    return 0.0;
  };
  // 64 MiB of empty spots.
  EXPECT_NEAR(rss(8 << 20) - rss(8), 0, 2 << 20);
}

TEST_F(MallocProcess, SaysWhichLibraryItRunsOn) {
  const malloc_outcome outcome = run(counting, small_job(malloc_bench::churn, 10));
  ASSERT_TRUE(outcome.ok()) << outcome.error.data();
  EXPECT_THAT(outcome.measured.library.data(), HasSubstr("counting"));
}

TEST_F(MallocProcess, FailuresAreOneLineEach) {
  const auto error_of = [](const allocator_library& on, std::uint32_t bytes, double timeout = 60) {
    malloc_job what = small_job(malloc_bench::churn, 100);
    what.sizes = size_mix::fixed(bytes);
    return std::string(run(on, what, timeout).error.data());
  };
  EXPECT_EQ(error_of(moody, 64), "");
  EXPECT_THAT(error_of(moody, mallard_test::crashing_size), HasSubstr("killed by signal 6"));
  EXPECT_EQ(error_of(moody, mallard_test::refused_size), "out of memory");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(error_of(moody, mallard_test::hanging_size, 0.25), "timed out after 0.25 s");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_EQ(error_of({"gone", "/no/such/library.so"}, 64),
            "there is no library /no/such/library.so");
  EXPECT_THAT(error_of({"harmless", HARMLESS_LIBRARY}, 64),
              HasSubstr("was preloaded, but malloc is still that of libc.so"));
  const std::string text = testing::TempDir() + "malloc_text_" + std::to_string(getpid()) + ".so";
  std::ofstream(text) << "not a library\n";
  EXPECT_THAT(error_of({"text", text}, 64), HasSubstr("was preloaded, but malloc is still"));
  unlink(text.c_str());
  const malloc_job what = small_job(malloc_bench::churn, 100);
  EXPECT_STREQ(run_malloc_job("/no/such/program", system_malloc, what, 60, nullptr).error.data(),
               "exited with status 127");
}

#ifdef OWN_MALLOC
TEST_F(MallocProcess, EveryBenchRunsOnOurMallocWithManyThreads) {
  for (const malloc_bench bench : {malloc_bench::churn, malloc_bench::thrash, malloc_bench::scratch,
                                   malloc_bench::speed, malloc_bench::memory, malloc_bench::larson,
                                   malloc_bench::remote_free, malloc_bench::mixed}) {
    malloc_job what = small_job(bench, 1000);
    what.threads = 16;
    what.consumers = 2;
    what.chains = (1U << speed_chains.size()) - 1;
    what.remote_share = 0.5;
    const malloc_outcome outcome = run({"mallard", OWN_MALLOC}, what);
    EXPECT_TRUE(outcome.ok()) << to_string(bench) << ": " << outcome.error.data();
  }
}
#endif

TEST_F(MallocProcess, OneThreadWithoutMemoryEndsAllTheOthers) {
  malloc_job what = small_job(malloc_bench::churn, 100'000);
  what.threads = 8;
  what.sizes = size_mix::fixed(mallard_test::refused_size);
  EXPECT_STREQ(run(moody, what).error.data(), "out of memory");
}

TEST_F(MallocProcess, WhatTheCommandWasPreloadedWithIsNotPassedOn) {
  setenv("LD_PRELOAD", COUNTING_MALLOC, 1);
  const malloc_outcome outcome = run(system_malloc, small_job(malloc_bench::churn, 10));
  unsetenv("LD_PRELOAD");
  EXPECT_TRUE(outcome.ok()) << outcome.error.data();
}

}  // namespace
}  // namespace mallard::lab
