// From what was asked for to the places of a bench of mallocs, and which mallocs are found.
#include "lab/malloc_plans.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace mallard::lab {
namespace {

namespace fs = std::filesystem;

malloc_job job_of(malloc_bench bench) {
  malloc_job what;
  what.bench = bench;
  what.operations = 100;
  what.touches = 1000;
  what.slots = 16;
  what.sizes = size_mix::fixed(8);
  return what;
}

malloc_conditions conditions() {
  malloc_conditions under;
  under.allocators = {{"glibc", {}}};
  under.repetitions = 3;
  under.seed = 7;
  return under;
}

TEST(MallocPlans, EachNumberOfThreadsIsAPlaceWithTheSeed) {
  const malloc_plan plan = plan_churn({1, 48}, job_of(malloc_bench::churn), conditions());
  EXPECT_EQ(plan.bench, "churn");
  EXPECT_EQ(plan.repetitions, 3U);
  ASSERT_EQ(plan.places.size(), 2U);
  EXPECT_EQ(plan.places[1].what.threads, 48U);
  EXPECT_EQ(plan.places[1].what.seed, 7U);
  const coordinates expected = {
      {"threads", 48}, {"sharing", "shared"}, {"spots", 16}, {"objects", 100}};
  EXPECT_EQ(plan.places[1].at, expected);
}

TEST(MallocPlans, TotalWorkIsSharedOutToTheThreads) {
  const malloc_job what = job_of(malloc_bench::thrash);
  const malloc_plan each = plan_cache({1, 4}, what, false, conditions());
  EXPECT_EQ(each.places[1].what.touches, 1000U);
  EXPECT_EQ(to_string(each.places[1].at.at("work")), "per-thread");
  const malloc_plan total = plan_cache({1, 4, 5000}, what, true, conditions());
  EXPECT_EQ(total.places[0].what.touches, 1000U);
  EXPECT_EQ(total.places[1].what.touches, 250U);
  EXPECT_EQ(total.places[2].what.touches, 1U);
  EXPECT_EQ(to_string(total.places[1].at.at("touches")), "1000");
  EXPECT_EQ(to_string(total.places[1].at.at("work")), "total");
}

TEST(MallocPlans, LarsonReplacesEachChunkSoManyTimes) {
  const malloc_plan plan =
      plan_larson({2}, job_of(malloc_bench::larson), {10, 20}, 30, conditions());
  EXPECT_EQ(plan.places[0].what.operations, 16U * 30U);
  random_stream random(1);
  for (int i = 0; i < 100; ++i) {
    const std::uint32_t bytes = plan.places[0].what.sizes.draw(random);
    EXPECT_TRUE(bytes >= 10 && bytes <= 20) << bytes;
  }
}

TEST(MallocPlans, TeamsAndBlocksAreCrossed) {
  const malloc_plan memory =
      plan_memory({{1, 1}, {4, 3}}, job_of(malloc_bench::memory), conditions());
  ASSERT_EQ(memory.places.size(), 2U);
  EXPECT_EQ(memory.places[1].what.threads, 4U);
  EXPECT_EQ(memory.places[1].what.consumers, 3U);
  const malloc_plan remote =
      plan_remote_free({1, 2}, job_of(malloc_bench::remote_free), {16, 64, 256}, conditions());
  ASSERT_EQ(remote.places.size(), 6U);
  EXPECT_EQ(remote.places[5].what.sizes.shares()[0].bytes, 256U);
  EXPECT_EQ(to_string(remote.places[5].at.at("block")), "256");
}

TEST(MallocPlans, BenchesOfMallocsAreKnownByName) {
  for (const char* name : {"churn", "thrash", "scratch", "speed", "memory", "memory-series",
                           "larson", "remote-free", "mixed-malloc"}) {
    EXPECT_TRUE(is_malloc_bench(name)) << name;
  }
  EXPECT_FALSE(is_malloc_bench("contention"));
}

class Allocators : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* path = std::getenv("LD_LIBRARY_PATH")) before_ = path;
    fs::create_directories(folder_ / "bin");
  }
  void TearDown() override {
    fs::remove_all(folder_);
    setenv("LD_LIBRARY_PATH", before_.c_str(), 1);
  }
  fs::path make(const std::string& name) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << "library";
    return fs::canonical(folder_ / name);
  }
  fs::path found(const std::string& name) const {
    for (const auto& one : find_allocators(folder_ / "bin/mallard").found) {
      if (one.name == name) return one.file;
    }
    return {};
  }

  const fs::path folder_ =
      fs::path(testing::TempDir()) / ("allocators_" + std::to_string(getpid()));
  std::string before_;
};

TEST_F(Allocators, TheSystemsComesFirstAndNeedsNoFile) {
  const allocator_list all = find_allocators(folder_ / "bin/mallard");
  ASSERT_FALSE(all.found.empty());
  EXPECT_EQ(all.found[0].name, "glibc");
  EXPECT_TRUE(all.found[0].file.empty());
  EXPECT_EQ(all.found.size() + all.missing.size(), 7U);
}

TEST_F(Allocators, OursIsFoundBesideTheProgramWhereItIsBuiltOrInstalled) {
  for (const char* place : {"lib", "src/malloc", "bin"}) {  // each goes before the last one
    const fs::path file = make(std::string(place) + "/libmallard-malloc.so");
    EXPECT_EQ(found("mallard"), file);
  }
}

TEST_F(Allocators, LibraryPathGoesBeforeTheSystemsFolders) {
  const fs::path file = make("mine/libjemalloc.so.2");
  setenv("LD_LIBRARY_PATH", ("/nowhere::" + (folder_ / "mine").string()).c_str(), 1);
  EXPECT_EQ(found("jemalloc"), file);
}

TEST_F(Allocators, MissingOnesAreNamedWithTheirFiles) {
  const allocator_list all = find_allocators(folder_ / "bin/mallard");
  for (const skipped_peer& one : all.missing) {
    EXPECT_THAT(one.reason, testing::StartsWith("there is no lib")) << one.peer;
  }
}

}  // namespace
}  // namespace mallard::lab
