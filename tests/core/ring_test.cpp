#include "mallard/detail/core/ring.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

struct node {
  int value;
  node* next = nullptr;
  node* prev = nullptr;
};
using ring = mallard::detail::ring<node, &node::next, &node::prev>;

std::vector<int> values(node* start) {
  std::vector<int> out;
  node* n = start;
  do {
    out.push_back(n->value);
    EXPECT_EQ(n->next->prev, n);
    n = n->next;
  } while (n != start);
  return out;
}

TEST(ring, a_node_alone_is_a_ring) {
  node a{1};
  ring::insert_before(nullptr, &a);
  EXPECT_EQ(values(&a), std::vector<int>({1}));
  EXPECT_EQ(ring::remove(&a), nullptr);
}

TEST(ring, inserting_before_the_first_is_inserting_at_the_end) {
  node a{1}, b{2}, c{3};
  ring::insert_before(nullptr, &a);
  ring::insert_before(&a, &b);
  ring::insert_before(&a, &c);
  EXPECT_EQ(values(&a), std::vector<int>({1, 2, 3}));
}

TEST(ring, removing_returns_the_follower) {
  node a{1}, b{2}, c{3};
  ring::insert_before(nullptr, &a);
  ring::insert_before(&a, &b);
  ring::insert_before(&a, &c);
  EXPECT_EQ(ring::remove(&b), &c);
  EXPECT_EQ(values(&a), std::vector<int>({1, 3}));
  EXPECT_EQ(ring::remove(&c), &a);
  EXPECT_EQ(ring::remove(&a), nullptr);
}

}  // namespace
