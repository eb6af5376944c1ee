#include <gtest/gtest.h>

#include <cstddef>
#include <thread>
#include <vector>

#include "mallard/checks/checked.hpp"
#include "mallard/synchronized_multipool.hpp"
#include "mallard/wink_out.hpp"

namespace {

using checked_pool = mallard::checked<mallard::synchronized_multipool_resource>;

struct made_node {
  int values[4];
};

void give_back(checked_pool& pool, made_node* node) {
  pool.deallocate(node, sizeof *node, alignof(made_node));
}

// Runs work(pool, thread) in four threads.
template <class Work>
void in_four_threads(checked_pool& pool, Work work) {
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) threads.emplace_back([&pool, work, t] { work(pool, t); });
  for (std::thread& thread : threads) thread.join();
}

TEST(checked_threads, several_threads_give_back_what_one_has_made) {
  checked_pool pool(mallard::check_with{.options = {.stack_frames = 0}});
  for (int round = 0; round < 5; ++round) {
    std::vector<made_node*> made;
    for (int i = 0; i < 4000; ++i) made.push_back(mallard::make<made_node>(pool));
    in_four_threads(pool, [&made](checked_pool& from, std::size_t t) {
      for (std::size_t i = t; i < made.size(); i += 4) give_back(from, made[i]);
    });
    EXPECT_EQ(pool.checks().counts().in_use_blocks, 0u);
  }
}

TEST(checked_threads, several_threads_make_and_give_back) {
  checked_pool pool(mallard::check_with{.options = {.stack_frames = 0}});
  in_four_threads(pool, [](checked_pool& from, std::size_t) {
    for (int i = 0; i < 2000; ++i) give_back(from, mallard::make<made_node>(from));
    for (int i = 0; i < 100; ++i) (void)*mallard::make<made_node>(from);
  });
  EXPECT_EQ(pool.checks().counts().in_use_blocks, 400u);
  pool.release();
  EXPECT_EQ(pool.checks().counts().in_use_blocks, 0u);
}

}  // namespace
