#include "mallard/buffered.hpp"

#include <gtest/gtest.h>

#include <memory_resource>
#include <vector>

#include "mallard/checks/test_resource.hpp"

namespace {

using mallard::buffered_resource;
using mallard::test_resource;

template <class Resource>
bool is_inside(const Resource& resource, const void* p) {
  const auto* const begin = reinterpret_cast<const std::byte*>(&resource);
  return p >= begin && p < begin + sizeof(resource);
}

TEST(buffered_resource, its_buffer_is_inside_the_object) {
  test_resource upstream;
  buffered_resource<1024> memory(&upstream);
  static_assert(sizeof(memory) >= 1024 && sizeof(memory) <= 1024 + 256);
  for (int i = 0; i < 64; ++i) EXPECT_TRUE(is_inside(memory, memory.allocate(16)));
  EXPECT_EQ(upstream.counts().allocations, 0u);
  EXPECT_FALSE(is_inside(memory, memory.allocate(1)));
  EXPECT_EQ(memory.stats().overflowed, 1u);
}

TEST(buffered_resource, a_small_container_never_leaves_the_stack) {
  test_resource upstream;
  buffered_resource<256> memory(&upstream);
  std::pmr::vector<int> numbers(&memory);
  numbers.reserve(20);
  numbers.assign(20, 7);
  EXPECT_TRUE(is_inside(memory, numbers.data()));
  EXPECT_EQ(memory.stats().overflowed, 0u);
}

TEST(buffered_resource, release_returns_to_the_buffer) {
  test_resource upstream;
  buffered_resource<64> memory(&upstream);
  void* const first = memory.allocate(32);
  (void)memory.allocate(5000);
  memory.release();
  EXPECT_EQ(upstream.counts().in_use_blocks, 0u);
  EXPECT_EQ(memory.allocate(32), first);
}

TEST(buffered_resource, marks_reach_back_from_upstream_into_the_buffer) {
  test_resource upstream;
  buffered_resource<128> memory(&upstream);
  (void)memory.allocate(16);
  const auto mark = memory.mark();
  void* const next = memory.allocate(16);
  (void)memory.allocate(5000);
  memory.rewind(mark);
  EXPECT_EQ(memory.allocate(16), next);
}

}  // namespace
