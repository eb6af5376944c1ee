#include "mallard/resource_handle.hpp"

#include <gtest/gtest.h>

#include <list>
#include <memory>
#include <memory_resource>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "mallard/checks/test_resource.hpp"
#include "mallard/multipool.hpp"
#include "mallard/synchronized_multipool.hpp"

namespace {

using mallard::handle_allocator;
using mallard::make_resource;
using mallard::multipool_resource;
using mallard::resource_handle;

template <class T>
using in_pool = handle_allocator<T, multipool_resource>;
using ints = std::vector<int, in_pool<int>>;

ints made_by(mallard::test_resource& upstream) {
  const auto pool = make_resource<multipool_resource>(&upstream);
  return ints({1, 2, 3}, pool);
}

TEST(resource_handle, a_container_keeps_its_resource_alive) {
  mallard::test_resource upstream;
  {
    ints numbers = made_by(upstream);
    EXPECT_GT(upstream.counts().in_use_blocks, 0u);
    numbers.assign(1000, 7);
    const ints copy = numbers;
    numbers = ints(copy.get_allocator());
    EXPECT_EQ(copy.size(), 1000u);
    EXPECT_EQ(copy.get_allocator(), numbers.get_allocator());
  }
  EXPECT_EQ(upstream.counts().in_use_blocks, 0u);
}

TEST(resource_handle, nodes_of_all_kinds_share_it) {
  mallard::test_resource upstream;
  {
    std::list<int, in_pool<int>> all(make_resource<multipool_resource>(&upstream));
    for (int i = 0; i < 100; ++i) all.push_back(i);
    const auto moved = std::move(all);
    EXPECT_EQ(moved.size(), 100u);
  }
  EXPECT_EQ(upstream.counts().in_use_blocks, 0u);
}

TEST(resource_handle, one_of_any_resource_is_bound_by_base) {
  mallard::test_resource upstream;
  resource_handle<> any = make_resource<multipool_resource>(&upstream);
  {
    const resource_handle<> other = any;
    EXPECT_EQ(other, any);
    any = make_resource<mallard::synchronized_multipool_resource>();
    EXPECT_FALSE(other == any);
    std::vector<int, handle_allocator<int>> v(100, 7, other);
    EXPECT_GT(upstream.counts().in_use_blocks, 0u);
    const std::pmr::vector<int> borrowed(10, other.get());
  }
  EXPECT_EQ(upstream.counts().in_use_blocks, 0u);
}

TEST(resource_handle, containers_of_different_resources_keep_their_own) {
  const auto here = make_resource<multipool_resource>();
  const auto there = make_resource<multipool_resource>();
  ints a({1, 2, 3}, here);
  const ints b({4, 5}, there);
  a = b;
  EXPECT_EQ(a.get_allocator().resource(), here.get());
  EXPECT_EQ(a, b);
}

TEST(resource_handle, move_assignment_takes_the_resource_along) {
  static_assert(std::is_nothrow_move_assignable_v<ints>);
  mallard::test_resource upstream;
  ints a({1, 2, 3}, make_resource<multipool_resource>());
  {
    ints b = made_by(upstream);
    const int* const elements = b.data();
    a = std::move(b);
    EXPECT_EQ(a.data(), elements);
  }
  EXPECT_GT(upstream.counts().in_use_blocks, 0u);
  EXPECT_EQ(a, ints({1, 2, 3}, a.get_allocator()));
  a.push_back(4);
  a = ints(make_resource<multipool_resource>());
  EXPECT_EQ(upstream.counts().in_use_blocks, 0u);  // its last user is gone
}

TEST(resource_handle, swap_takes_the_resources_along) {
  const auto here = make_resource<multipool_resource>();
  const auto there = make_resource<multipool_resource>();
  std::list<int, in_pool<int>> a({1, 2, 3}, here);
  std::list<int, in_pool<int>> b({4}, there);
  const int* const first = &a.front();
  swap(a, b);
  EXPECT_EQ(&b.front(), first);
  EXPECT_EQ(a.get_allocator().resource(), there.get());
  EXPECT_EQ(b.get_allocator().resource(), here.get());
}

TEST(resource_handle, takes_over_what_is_shared_already) {
  const auto shared = std::make_shared<multipool_resource>();
  const resource_handle<multipool_resource> handle(shared);
  EXPECT_EQ(handle.get(), shared.get());
  EXPECT_EQ(shared.use_count(), 2);
}

}  // namespace
