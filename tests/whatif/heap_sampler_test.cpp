// Samples of programs that know the heap's share themselves; and programs on the ideal
// malloc.
#include "whatif/heap_sampler.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "whatif/whatif.hpp"

namespace {

using namespace mallard::whatif;

// Where other programs take the processors, the kernel drops most signals of a timer, and a run has
// a tenth of the looks. So it runs until there are enough.
std::optional<mallard::profile::heap_share> measured(std::vector<std::string> command,
                                                     std::uint64_t looks = 100) {
  program_runner runner(std::move(command));
  sampling_limits limits;
  limits.looks = looks;
  limits.runs = 40;
  limits.seconds = 60;
  heap_sampler sampler;
  sampler.go_on(runner, limits);
  return sampler.share();
}

TEST(heap_sampler, is_preloaded_before_what_a_run_preloads_itself) {
  const heap_sampler sampler;
  const auto both = sampler.beside({{"LD_PRELOAD", "route.so:other.so"}, {"A", "b"}});
  ASSERT_EQ(both.size(), 3U);
  EXPECT_TRUE(both[0].second.ends_with("libmallard-density.so:route.so:other.so"));
  EXPECT_EQ(both[0].second.find(':'), both[0].second.find(":route.so"));
  EXPECT_EQ(both[2], sampler.environment().back());
}

TEST(heap_sampler, a_program_that_only_computes_is_not_in_its_heap) {
  const auto share = measured({MALLARD_HEAP_SHARE_PROGRAM, "pairs", "0.001", "0.5"});
  ASSERT_TRUE(share);
  EXPECT_TRUE(share->measured);
  EXPECT_LT(share->share, 0.03);
}

// calloc jumps to memset: no address of the heap is on the stack then.
TEST(heap_sampler, time_below_a_call_that_was_left_by_a_jump_is_the_heaps) {
  const auto share = measured({MALLARD_HEAP_SHARE_PROGRAM, "zeroed", "0.95", "0.5"});
  ASSERT_TRUE(share);
  EXPECT_GT(share->share, 0.8);
}

TEST(heap_sampler, time_of_the_system_for_the_heap_is_the_heaps) {
  const auto share = measured({MALLARD_HEAP_SHARE_PROGRAM, "mapped", "0.95", "0.5"});
  ASSERT_TRUE(share);
  EXPECT_GT(share->share, 0.8);
}

TEST(heap_sampler, threads_count) {
  const auto share = measured({MALLARD_HEAP_SHARE_PROGRAM, "batches", "0.5", "0.5", "3"});
  ASSERT_TRUE(share);
  EXPECT_NEAR(share->share, 0.5, 0.2);
  EXPECT_LE(share->low, share->share);
  EXPECT_GE(share->high, share->share);
}

// They are a fifth of a tick of the kernel's long, and do what a long one does.
TEST(heap_sampler, short_threads_count) {
  const auto of_one = measured({MALLARD_ROUTED_PROGRAM, "many_requests"}, 300);
  const auto of_short = measured({MALLARD_ROUTED_PROGRAM, "short_threads"}, 300);
  ASSERT_TRUE(of_one && of_short);
  EXPECT_GT(of_short->share, of_one->share / 2);
}

TEST(heap_sampler, children_count) {
  const std::string self = MALLARD_HEAP_SHARE_PROGRAM;
  const auto share = measured({"sh", "-c", self + " batches 0.9 0.5; true"});
  ASSERT_TRUE(share);
  EXPECT_GT(share->share, 0.6);
}

TEST(heap_sampler, of_a_static_program_nothing_is_said) {
  EXPECT_FALSE(measured({MALLARD_STATIC_PROGRAM, "scopes"}));
}

// All that the program checks of its blocks it checks there, too.
TEST(ideal_malloc, programs_do_what_they_do_without) {
  whatif_options options;
  options.command = {MALLARD_ROUTED_PROGRAM, "sizes"};
  options.library = MALLARD_ROUTE_FILE;
  options.repetitions = 2;
  options.check_output = true;
  options.with_ideal = true;
  const whatif_result done = try_whatif(options);
  ASSERT_TRUE(done.ideal);
  EXPECT_EQ(done.ideal->remark, "");
  EXPECT_EQ(done.ideal->runs, 2U);
  for (const whatif_outcome& one : done.outcomes) EXPECT_FALSE(one.variant.starts_with("ideal"));
}

TEST(ideal_malloc, is_the_bound_of_a_program_that_only_allocates) {
  whatif_options options;
  options.command = {MALLARD_HEAP_SHARE_PROGRAM, "batches", "1", "0.3"};
  options.library = MALLARD_ROUTE_FILE;
  options.repetitions = 1;
  options.with_ideal = true;
  EXPECT_TRUE(try_whatif(options).ideal);  // of its time the program itself decides
}

}  // namespace
