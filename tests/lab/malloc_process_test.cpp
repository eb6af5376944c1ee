// Processes that measure a malloc: what they call, what they answer, and how they fail.
#include "lab/measuring/executed.hpp"

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
#include "plans.hpp"
#include "support/instrumented.hpp"
#include "support/scratch_path.hpp"

namespace mallard::lab {
namespace {

using mallard_test::counted_calls;
using testing::HasSubstr;

contender on_malloc(std::string name, std::filesystem::path library) {
  contender who;
  who.malloc = std::move(name);
  who.library = std::move(library);
  who.process = process_kind::executed;
  return who;
}

const contender on_glibc = on_malloc("glibc", {});
const contender counting = on_malloc("counting", COUNTING_MALLOC);
const contender moody = on_malloc("moody", MOODY_MALLOC);

// A bench's work at one place.
struct small_job {
  std::string bench;
  texts_of texts;

  small_job with(const std::string& name, const std::string& value) const {
    small_job made = *this;
    made.texts[name] = value;
    return made;
  }
  task make() const {
    const bench_plan plan = plan_of(bench, texts, {});
    return plan.what->kernel(on_glibc, plan.places.at(0).all);
  }
};

// The axis that says how many operations there are.
std::string operations_of(const std::string& bench) {
  return bench == "thrash" || bench == "scratch" ? "iterations" : "objects";
}

small_job job_of(const std::string& bench, std::uint64_t operations) {
  small_job what{bench, {}};
  for (const axis& one : bench_named(bench).axes) {
    if (one.name == "threads") what.texts["threads"] = "1";
    if (one.name == "teams") what.texts["teams"] = "1x1";
    if (one.name == "touches") what.texts["touches"] = "3";
    if (one.name == "spots" || one.name == "live" || one.name == "chunks")
      what.texts[one.name] = "8";
    if (one.name == "warm-up") what.texts["warm-up"] = "0";
    if (one.name == "batch") what.texts["batch"] = "10";
    if (one.name == "seconds") what.texts["seconds"] = "0.02";
    if (one.name == "distribution") what.texts["distribution"] = "fixed";
    if (one.name == "min") what.texts["min"] = "64";
    if (one.name == "block") what.texts["block"] = "64";
    if (one.name == operations_of(bench)) what.texts[one.name] = std::to_string(operations);
  }
  return what;
}

outcome run(const contender& on, const small_job& what, double timeout = 60) {
  measuring_limits limits;
  limits.timeout_seconds = timeout;
  return run_executed(MALLARD_COMMAND, on, what.make(), limits, nullptr);
}

// Programs under a sanitizer have their own malloc.
class malloc_process_test : public testing::Test {
 protected:
  void SetUp() override {
    if (mallard_test::instrumented) GTEST_SKIP();
  }
};

// Maps the file in which the library counts.
class malloc_calls_test : public malloc_process_test {
 protected:
  struct totals {
    std::int64_t malloc, calloc, realloc, free, bytes, changes;
    totals operator-(const totals& other) const {
      return {malloc - other.malloc, calloc - other.calloc, realloc - other.realloc,
              free - other.free,     bytes - other.bytes,   changes - other.changes};
    }
  };

  void SetUp() override {
    malloc_process_test::SetUp();
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

  totals count(const small_job& what) {
    for (auto& one : counts_->calls) one = 0;
    counts_->bytes = 0;
    counts_->changes = 0;
    counts_->last = -1;
    const outcome result = run(counting, what);
    EXPECT_TRUE(result.ok()) << result.error;
    return {counts_->calls[counted_calls::malloc],
            counts_->calls[counted_calls::calloc],
            counts_->calls[counted_calls::realloc],
            counts_->calls[counted_calls::free],
            counts_->bytes,
            counts_->changes};
  }

  // Calls of 1,000 operations more: those of starting a program and its threads are gone.
  totals calls_of_thousand(const small_job& what) {
    const std::string name = operations_of(what.bench);
    const totals few = count(what.with(name, "1000"));
    return count(what.with(name, "2000")) - few;
  }

 private:
  const std::string path_ = testing::TempDir() + "malloc_calls_" + std::to_string(getpid());
  counted_calls* counts_ = nullptr;
};

TEST_F(malloc_calls_test, each_chain_calls_its_routines_for_all_blocks_in_turn) {
  struct expected {
    const char* chain;
    int malloc, calloc, realloc, free;
  };
  // Before the clock starts, blocks for a chain that begins with using them; after it has stopped,
  // they are freed.
  const expected all[] = {{"malloc", 1, 0, 0, 1},
                          {"realloc", 1, 0, 1, 1},
                          {"free", 1, 0, 0, 1},
                          {"calloc", 0, 1, 0, 1},
                          {"malloc-free", 1, 0, 0, 1},
                          {"realloc-free", 1, 0, 1, 1},
                          {"calloc-free", 0, 1, 0, 1},
                          {"malloc-realloc", 1, 0, 1, 1},
                          {"calloc-realloc", 0, 1, 1, 1},
                          {"malloc-realloc-free", 1, 0, 1, 1},
                          {"calloc-realloc-free", 0, 1, 1, 1},
                          {"malloc-realloc-free-calloc", 1, 1, 1, 2}};
  for (const expected& one : all) {
    const totals found = calls_of_thousand(job_of("speed", 0).with("chains", one.chain));
    EXPECT_EQ(found.malloc, 1000 * one.malloc) << one.chain;
    EXPECT_EQ(found.calloc, 1000 * one.calloc) << one.chain;
    EXPECT_EQ(found.realloc, 1000 * one.realloc) << one.chain;
    EXPECT_EQ(found.free, 1000 * one.free) << one.chain;
    EXPECT_EQ(found.changes, 0) << one.chain << ": the routines take turns";
  }
}

TEST_F(malloc_calls_test, realloc_gets_new_sizes_or_the_same) {
  const small_job what = job_of("speed", 0)
                             .with("chains", "malloc-realloc")
                             .with("distribution", "uniform")
                             .with("min", "50");
  const totals same = calls_of_thousand(what.with("realloc-sizes", "same"));
  EXPECT_EQ(same.bytes % 2, 0);
  EXPECT_NE(calls_of_thousand(what.with("realloc-sizes", "new")).bytes, same.bytes);
}

TEST_F(malloc_calls_test, churn_replaces_one_block_an_operation) {
  for (const char* sharing : {"shared", "private"}) {
    const small_job what = job_of("churn", 0).with("sharing", sharing);
    const totals found = calls_of_thousand(what);
    EXPECT_EQ(found.malloc, 1000);
    EXPECT_EQ(found.free, 1000);
    EXPECT_EQ(found.bytes, 64 * 1000);
    EXPECT_GT(found.changes, 1000);
    EXPECT_EQ(calls_of_thousand(what.with("threads", "4")).free, 4000)
        << "blocks of several threads are lost";
  }
}

TEST_F(malloc_calls_test, thrash_and_scratch_have_one_block_at_a_time) {
  for (const char* bench : {"thrash", "scratch"}) {
    const totals found = calls_of_thousand(job_of(bench, 0).with("threads", "2"));
    EXPECT_EQ(found.malloc, 2000);
    EXPECT_EQ(found.free, 2000);
  }
  // The blocks that the main thread gives away, and the chunks of the warm-up.
  const small_job thrash = job_of("thrash", 100).with("threads", "4");
  const small_job scratch = job_of("scratch", 100).with("threads", "4");
  EXPECT_EQ((count(scratch) - count(thrash)).malloc, 4);
  const totals chunks = count(thrash.with("warm-up", "50")) - count(thrash);
  EXPECT_EQ(chunks.malloc, 200);
  EXPECT_EQ(chunks.free, 200);
  EXPECT_EQ(chunks.bytes, 200 * 16);
}

TEST_F(malloc_calls_test, total_work_is_shared_out_to_the_threads) {
  // Touches are no calls: what is shared out is seen in the time alone; a thread still has one.
  const small_job what = job_of("thrash", 10).with("work", "total").with("threads", "8");
  EXPECT_TRUE(run(on_glibc, what).ok());
}

TEST_F(malloc_calls_test, consumers_free_everything_that_producers_allocate) {
  const totals found = calls_of_thousand(job_of("memory", 0).with("teams", "2x3"));
  EXPECT_EQ(found.malloc, 6000);
  EXPECT_EQ(found.free, 6000);
}

TEST_F(malloc_calls_test, remote_free_allocates_in_one_or_both_of_a_pair) {
  const small_job what = job_of("remote-free", 0).with("threads", "2");
  EXPECT_EQ(calls_of_thousand(what.with("form", "one-way")).free, 2000);
  const totals both = calls_of_thousand(what.with("form", "ping-pong"));
  EXPECT_EQ(both.malloc, 4000);
  EXPECT_EQ(both.free, 4000);
}

TEST_F(malloc_calls_test, mixed_replaces_blocks_twice_over) {
  const small_job what = job_of("mixed-malloc", 0).with("threads", "2").with("remote", "0.25");
  EXPECT_EQ(calls_of_thousand(what).malloc, 2 * 2 * 1000);
}

TEST_F(malloc_process_test, every_bench_answers_with_positive_figures) {
  const std::set<std::string> latencies = {"malloc_p50",     "malloc_p99",  "malloc_p999",
                                           "malloc_longest", "free_p50",    "free_p99",
                                           "free_p999",      "free_longest"};
  std::set<std::string> mixed = latencies;
  mixed.insert({"time", "fill", "rss"});
  const std::map<std::string, std::set<std::string>> expected = {
      {"churn", {"time", "time_with_threads", "user", "system", "rss"}},
      {"thrash", {"time", "rss"}},
      {"scratch", {"time", "rss"}},
      {"larson", {"throughput", "rss"}},
      {"remote-free", {"time", "per_op", "rss"}},
      {"mixed-malloc", mixed},
  };
  for (const auto& [bench, figures] : expected) {
    small_job what = job_of(bench, 2000).with("threads", "3");
    // On a busy machine larson's threads may have none of a short time.
    if (bench == "larson") what.texts["seconds"] = "1";
    const outcome result = run(on_glibc, what);
    ASSERT_TRUE(result.ok()) << bench << ": " << result.error;
    std::set<std::string> found;
    for (const reading& one : result.taken) {
      const std::string name(one.what());
      found.insert(name);
      EXPECT_TRUE(std::isfinite(one.value) && one.value >= 0) << name;
      // The clock's own cost is taken away from the medians, which may leave nothing.
      const bool may_be_none =
          name == "user" || name == "system" || name == "malloc_p50" || name == "free_p50";
      EXPECT_TRUE(may_be_none || one.value > 0) << bench << ' ' << name;
    }
    EXPECT_EQ(found, figures) << bench;
  }
}

TEST_F(malloc_process_test, memory_grows_with_what_is_requested_and_then_it_is_freed) {
  constexpr std::int64_t points = 60;
  const outcome result = run(on_glibc, job_of("memory", 80'000));
  ASSERT_TRUE(result.ok()) << result.error;
  EXPECT_TRUE(result.has("requested", points - 1));
  EXPECT_FALSE(result.has("requested", points));
  const double all = 80'000.0 * 64;
  EXPECT_EQ(result.value_of("requested", 0), 0);
  EXPECT_EQ(result.value_of("requested", points - 1), 0);
  // One producer and one consumer: the first half of the operations are all allocations.
  EXPECT_NEAR(result.value_of("requested", points / 2 - 1) / all, 1, 0.1);
  EXPECT_GE(result.value_of("peak_dynamic"), all);
  EXPECT_GE(result.value_of("peak_rss"), result.value_of("rss", 0) + all);
  // Stacks, tables and the program are no part of what malloc holds.
  EXPECT_LT(result.value_of("peak_dynamic"), 4 * all);
  EXPECT_EQ(result.value_of("total_dynamic", 0), 0);
  for (std::int64_t i = 1; i < points; ++i) {
    EXPECT_GT(result.value_of("elapsed", i), 0) << i;
    EXPECT_EQ(
        result.value_of("total_dynamic_thesis", i),
        result.value_of("heap", i) + result.value_of("mmap", i) + result.value_of("mmap_so", i));
  }
}

TEST_F(malloc_process_test, own_tables_are_no_part_of_the_resident_set) {
  const auto rss = [&](const char* spots) {
    return run(on_glibc, job_of("churn", 1000).with("spots", spots)).value_of("rss");
  };
  // 64 MiB of empty spots.
  EXPECT_NEAR(rss("8388608") - rss("8"), 0, 2 << 20);
}

TEST_F(malloc_process_test, says_which_library_it_runs_on) {
  const outcome result = run(counting, job_of("churn", 10));
  ASSERT_TRUE(result.ok()) << result.error;
  EXPECT_THAT(result.library, HasSubstr("counting"));
}

small_job of_size(std::uint32_t bytes, std::uint64_t operations = 100) {
  return job_of("churn", operations).with("min", std::to_string(bytes));
}

TEST_F(malloc_process_test, failures_are_one_line_each) {
  const auto error_of = [](const contender& on, std::uint32_t bytes, double timeout = 60) {
    return run(on, of_size(bytes), timeout).error;
  };
  EXPECT_EQ(error_of(moody, 64), "");
  EXPECT_THAT(error_of(moody, mallard_test::crashing_size), HasSubstr("killed by signal 6"));
  EXPECT_EQ(error_of(moody, mallard_test::refused_size), "out of memory");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(error_of(moody, mallard_test::hanging_size, 0.25), "timed out after 0.25 s");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_EQ(error_of(on_malloc("gone", "/no/such/library.so"), 64),
            "there is no library /no/such/library.so");
  EXPECT_THAT(error_of(on_malloc("harmless", HARMLESS_LIBRARY), 64),
              HasSubstr("was preloaded, but malloc is still that of libc.so"));
  const std::string text = testing::TempDir() + "malloc_text_" + std::to_string(getpid()) + ".so";
  std::ofstream(text) << "not a library\n";
  EXPECT_THAT(error_of(on_malloc("text", text), 64),
              HasSubstr("was preloaded, but malloc is still"));
  unlink(text.c_str());
  // LD_PRELOAD cannot name a path with a space.
  const scratch_folder folder;
  const std::filesystem::path spaced = folder / "a library, with spaces.so";
  std::filesystem::copy_file(MOODY_MALLOC, spaced);
  EXPECT_EQ(error_of(on_malloc("spaced", spaced.string()), 64), "");
  EXPECT_EQ(run_executed("/no/such/program", on_glibc, of_size(64).make(), {}, nullptr).error,
            "ended with status 127");
  task unheard_of = of_size(64).make();
  unheard_of.name = "unheard-of";
  EXPECT_EQ(run_executed(MALLARD_COMMAND, on_glibc, unheard_of, {}, nullptr).error,
            "this program does not have the kernel");
}

#ifdef OWN_MALLOC
TEST_F(malloc_process_test, every_bench_runs_on_our_malloc_with_many_threads) {
  for (const char* bench :
       {"churn", "thrash", "scratch", "speed", "memory", "larson", "remote-free", "mixed-malloc"}) {
    small_job what = job_of(bench, 1000);
    if (what.texts.contains("threads")) what.texts["threads"] = "16";
    if (what.texts.contains("teams")) what.texts["teams"] = "16x2";
    const outcome result = run(on_malloc("mallard", OWN_MALLOC), what);
    EXPECT_TRUE(result.ok()) << bench << ": " << result.error;
  }
}
#endif

TEST_F(malloc_process_test, one_thread_without_memory_ends_all_the_others) {
  const small_job what = of_size(mallard_test::refused_size, 100'000).with("threads", "8");
  EXPECT_EQ(run(moody, what).error, "out of memory");
}

TEST_F(malloc_process_test, what_the_command_was_preloaded_with_is_not_passed_on) {
  setenv("LD_PRELOAD", COUNTING_MALLOC, 1);
  const outcome result = run(on_glibc, job_of("churn", 10));
  unsetenv("LD_PRELOAD");
  EXPECT_TRUE(result.ok()) << result.error;
}

}  // namespace
}  // namespace mallard::lab
