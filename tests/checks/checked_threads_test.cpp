#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "mallard/checks/checked.hpp"
#include "mallard/synchronized_multipool.hpp"
#include "mallard/wink_out.hpp"
#include "support/threads.hpp"

namespace {

using checked_pool = mallard::checked<mallard::synchronized_multipool_resource>;

struct made_node {
  int values[4];
};

void give_back(checked_pool& pool, made_node* node) {
  pool.deallocate(node, sizeof *node, alignof(made_node));
}

TEST(checked_threads, several_threads_give_back_what_one_has_made) {
  checked_pool pool(mallard::check_with{.options = {.stack_frames = 0}});
  for (int round = 0; round < 5; ++round) {
    std::vector<made_node*> made;
    for (int i = 0; i < 4000; ++i) made.push_back(mallard::make<made_node>(pool));
    mallard_test::in_threads(std::size_t{4}, [&](std::size_t t) {
      for (std::size_t i = t; i < made.size(); i += 4) give_back(pool, made[i]);
    });
    EXPECT_EQ(pool.checks().counts().in_use_blocks, 0u);
  }
}

TEST(checked_threads, several_threads_make_and_give_back) {
  checked_pool pool(mallard::check_with{.options = {.stack_frames = 0}});
  mallard_test::in_threads(4, [&] {
    for (int i = 0; i < 2000; ++i) give_back(pool, mallard::make<made_node>(pool));
    for (int i = 0; i < 100; ++i) (void)*mallard::make<made_node>(pool);
  });
  EXPECT_EQ(pool.checks().counts().in_use_blocks, 400u);
  pool.release();
  EXPECT_EQ(pool.checks().counts().in_use_blocks, 0u);
}

}  // namespace
