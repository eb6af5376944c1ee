// Threads that hand blocks over, end, adopt and give back, in every order of their steps.
// Sanitizers see what is used in a wrong way, not what is lost on its way.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "malloc/engine.hpp"
#include "malloc/stepped_program.hpp"
#include "malloc/stepped_threads.hpp"
#include "support/require.hpp"
#include "support/seeds.hpp"

namespace {

namespace detail = mallard::detail;
using malloc_test::shared_blocks;
using malloc_test::stepped_threads;

using steps = std::vector<std::function<void(shared_blocks&)>>;

// The program in every order that leaves each thread's steps in theirs; after its last step a
// thread ends at once. Returns how many there are.
std::size_t run_in_every_order(const std::vector<steps>& program) {
  std::vector<std::size_t> order;
  for (std::size_t t = 0; t < program.size(); ++t) order.insert(order.end(), program[t].size(), t);
  std::size_t orders = 0;
  do {
    shared_blocks blocks;
    try {
      {
        stepped_threads threads(program.size());
        std::vector<std::size_t> next(program.size(), 0);
        for (const std::size_t t : order) {
          threads.run(t, [&] { program[t][next[t]](blocks); });
          if (++next[t] == program[t].size()) threads.end(t);
        }
      }
      blocks.free_oldest(blocks.size());
      malloc_test::expect_nothing_lost();
    } catch (const mallard_test::check_failure& e) {
      std::string names;
      for (const std::size_t t : order) names += std::to_string(t) + ' ';
      ADD_FAILURE() << e.what() << ", in the order " << names;
      return orders;
    }
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  return orders;
}

// A thread's first calls are served without a heap of its own; for this block there has to be one.
void have_heap(shared_blocks&) {
  detail::deallocate(detail::allocate(5'000));
}

std::function<void(shared_blocks&)> allocate(std::size_t count, std::size_t bytes) {
  return [=](shared_blocks& blocks) {
    have_heap(blocks);
    blocks.allocate(count, bytes);
  };
}

std::function<void(shared_blocks&)> free_oldest(std::size_t count) {
  return [=](shared_blocks& blocks) {
    have_heap(blocks);
    blocks.free_oldest(count);
  };
}

void trim(shared_blocks&) {
  detail::trim();
}

// More than a batch each, and what is left of one.
TEST(malloc_stepping, blocks_that_go_home_while_their_threads_end_are_not_lost) {
  const std::size_t orders = run_in_every_order({{allocate(150, 48), allocate(20, 48)},
                                                 {free_oldest(100), free_oldest(60)},
                                                 {allocate(90, 48), trim}});
  EXPECT_EQ(orders, 90u);
}

TEST(malloc_stepping, slabs_that_are_adopted_keep_the_blocks_that_are_under_way) {
  const std::size_t orders = run_in_every_order({{allocate(200, 112)},
                                                 {free_oldest(70), free_oldest(70)},
                                                 {allocate(30, 112), allocate(100, 112)},
                                                 {trim}});
  EXPECT_EQ(orders, 180u);
}

// Of a thread without a heap of its own each block is sent alone.
TEST(malloc_stepping, threads_without_a_heap_lose_nothing_either) {
  const std::size_t orders =
      run_in_every_order({{allocate(40, 48), have_heap},
                          {[](shared_blocks& blocks) { blocks.allocate(5, 48); },
                           [](shared_blocks& blocks) { blocks.free_oldest(10); }},
                          {[](shared_blocks& blocks) { blocks.free_oldest(20); }, trim}});
  EXPECT_EQ(orders, 90u);
}

TEST(malloc_stepping, programs_of_any_steps_lose_nothing) {
  for (const std::uint64_t seed : mallard_test::test_seeds(10)) {
    mallard_test::choices decide(seed, 400);
    try {
      malloc_test::run_stepped_program(decide);
    } catch (const mallard_test::check_failure& e) {
      FAIL() << e.what() << mallard_test::reproduce_with(seed);
    }
  }
}

}  // namespace
