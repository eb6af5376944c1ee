#include "mallard/checks/counting_resource.hpp"

#include <gtest/gtest.h>

#include <memory_resource>
#include <vector>

namespace {

TEST(counting_resource, counts_blocks_and_bytes_in_use_at_most_and_in_all) {
  mallard::counting_resource counter;
  void* const a = counter.allocate(100, 8);
  void* const b = counter.allocate(50, 64);
  counter.deallocate(a, 100, 8);
  void* const c = counter.allocate(10, 4);

  const auto& counts = counter.counts();
  EXPECT_EQ(counts.allocations, 3u);
  EXPECT_EQ(counts.deallocations, 1u);
  EXPECT_EQ(counts.in_use_blocks, 2u);
  EXPECT_EQ(counts.peak_blocks, 2u);
  EXPECT_EQ(counts.in_use_bytes, 60u);
  EXPECT_EQ(counts.peak_bytes, 150u);
  EXPECT_EQ(counts.total_bytes, 160u);
  EXPECT_EQ(counts.largest_bytes, 100u);
  EXPECT_EQ(counts.largest_alignment, 64u);

  counter.deallocate(b, 50, 64);
  counter.deallocate(c, 10, 4);
  EXPECT_EQ(counts.in_use_blocks, 0u);
  EXPECT_EQ(counts.in_use_bytes, 0u);
}

TEST(counting_resource, counts_nothing_when_upstream_throws) {
  mallard::counting_resource counter(std::pmr::null_memory_resource());
  EXPECT_THROW((void)counter.allocate(1, 1), std::bad_alloc);
  EXPECT_EQ(counter.counts().allocations, 0u);
  EXPECT_EQ(counter.counts().largest_bytes, 0u);
}

TEST(counting_resource, sees_what_a_container_does) {
  mallard::counting_resource counter;
  {
    std::pmr::vector<int> numbers(&counter);
    numbers.assign(1000, 7);
    EXPECT_EQ(counter.counts().allocations, 1u);
    EXPECT_EQ(counter.counts().in_use_bytes, 1000 * sizeof(int));
  }
  EXPECT_EQ(counter.counts().in_use_bytes, 0u);
}

}  // namespace
