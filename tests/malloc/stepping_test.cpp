// Threads that hand blocks over, end, adopt and give back, in every order of their steps.
#include <gtest/gtest.h>

#include <vector>

#include "malloc/stepped_engine.hpp"
#include "support/seeds.hpp"

namespace {

namespace detail = mallard::detail;
using mallard_test::shared_blocks;
using mallard_test::step;
using malloc_test::stepped_engine;

void expect_to_hold_in_orders(std::size_t count, const std::vector<std::vector<step>>& program) {
  stepped_engine engine;
  try {
    EXPECT_EQ(mallard_test::run_in_every_order(engine, program), count);
  } catch (const mallard_test::check_failure& e) {
    ADD_FAILURE() << e.what();
  }
}

void begin(shared_blocks&) {
  malloc_test::have_heap();
}

step allocate(std::size_t count, std::size_t bytes) {
  return [=](shared_blocks& blocks) {
    malloc_test::have_heap();
    blocks.allocate(count, bytes);
  };
}

step free_oldest(std::size_t count) {
  return [=](shared_blocks& blocks) {
    malloc_test::have_heap();
    blocks.free_oldest(count);
  };
}

void trim(shared_blocks&) {
  detail::trim();
}

// More than a batch each, and what is left of one.
TEST(malloc_stepping, blocks_that_go_home_while_their_threads_end_are_not_lost) {
  expect_to_hold_in_orders(90, {{allocate(150, 48), allocate(20, 48)},
                                {free_oldest(100), free_oldest(60)},
                                {allocate(90, 48), trim}});
}

TEST(malloc_stepping, slabs_that_are_adopted_keep_the_blocks_that_are_under_way) {
  expect_to_hold_in_orders(180, {{allocate(200, 112)},
                                 {free_oldest(70), free_oldest(70)},
                                 {allocate(30, 112), allocate(100, 112)},
                                 {trim}});
}

// A thread without a heap of its own sends each block alone.
TEST(malloc_stepping, threads_without_a_heap_lose_nothing_either) {
  expect_to_hold_in_orders(90, {{allocate(40, 48), begin},
                                {[](shared_blocks& blocks) { blocks.allocate(5, 48); },
                                 [](shared_blocks& blocks) { blocks.free_oldest(10); }},
                                {[](shared_blocks& blocks) { blocks.free_oldest(20); }, trim}});
}

TEST(malloc_stepping, programs_of_any_steps_lose_nothing) {
  for (const std::uint64_t seed : mallard_test::test_seeds(10)) {
    mallard_test::choices decide(seed, 400);
    try {
      stepped_engine engine;
      mallard_test::run_stepped_program(engine, stepped_engine::sizes, decide);
    } catch (const mallard_test::check_failure& e) {
      FAIL() << e.what() << mallard_test::reproduce_with(seed);
    }
  }
}

}  // namespace
