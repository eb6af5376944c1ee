#include "mallard/detail/resources/thread_heaps.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "mallard/checks/limit_resource.hpp"
#include "mallard/checks/test_resource.hpp"
#include "mallard/synchronized_heap.hpp"
#include "mallard/synchronized_multipool.hpp"
#include "support/choices.hpp"

namespace {

using namespace mallard::detail;

class thread_heaps_test : public testing::Test {
 protected:
  static constexpr unsigned index = class_of(64);
  static constexpr std::size_t capacity = class_layouts[index].capacity();

  std::vector<void*> take(std::size_t count) {
    std::vector<void*> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(heaps.take_small(index));
    return all;
  }
  void give(const std::vector<void*>& all) {
    for (void* const p : all) heaps.give_small(p, index);
  }
  static slab* home_of(void* p) { return aligned_start<slab>(p, class_layouts[index].slab_bytes); }
  std::size_t in_use() {
    const heaps_usage now = heaps.usage();
    return (now.slabs.taken_bytes - now.at_hand_bytes) / 64;
  }

  mallard::test_resource upstream;
  thread_heaps heaps{&upstream, 1, false};
};

TEST_F(thread_heaps_test, threads_have_slabs_of_their_own) {
  const std::vector<void*> mine = take(10);
  std::vector<void*> others;
  std::thread([&] { others = take(10); }).join();
  for (void* const p : others) EXPECT_NE(home_of(p), home_of(mine[0]));
  give(mine);
  give(others);
  EXPECT_EQ(in_use(), 0U);
}

TEST_F(thread_heaps_test, a_block_freed_by_another_thread_goes_home) {
  const std::vector<void*> mine = take(capacity);
  std::thread([&] { give(mine); }).join();
  // A whole slab came home: no other is needed.
  const std::vector<void*> again = take(capacity);
  EXPECT_EQ(home_of(again[0]), home_of(mine[0]));
  EXPECT_EQ(heaps.usage().slabs.slabs, 1U);
  give(again);
}

TEST_F(thread_heaps_test, blocks_that_wait_to_be_put_back_are_not_in_use) {
  const std::vector<void*> mine = take(20'000);
  std::thread([&] { give(mine); }).join();
  constexpr unsigned other_class = class_of(200);
  void* const other = heaps.take_small(other_class);
  const heaps_usage now = heaps.usage();
  EXPECT_EQ(now.slabs.taken_bytes - now.at_hand_bytes, class_layouts[other_class].block_bytes);
  heaps.give_small(other, other_class);
}

// Another thread frees all that upstream has, in no order.
template <class Resource>
void expect_that_freed_memory_serves(std::size_t block_bytes, std::size_t other_bytes) {
  constexpr std::size_t all = std::size_t{2} << 20;
  mallard::limit_resource limited({.bytes = all});
  Resource resource(&limited);
  std::vector<void*> blocks;
  while (void* const p = resource.try_allocate(block_bytes)) blocks.push_back(p);
  mallard_test::shuffle(blocks, mallard_test::choices(1, blocks.size()));
  std::thread([&] {
    for (void* p : blocks) resource.deallocate(p, block_bytes);
  }).join();
  const std::size_t freed = blocks.size() * block_bytes;
  for (std::size_t got = 0; got < freed / 10 * 7; got += other_bytes) {
    ASSERT_NO_THROW(blocks.front() = resource.allocate(other_bytes)) << got;
  }
  resource.release();
}

TEST(thread_heaps, what_other_threads_have_freed_serves_when_upstream_refuses) {
  expect_that_freed_memory_serves<mallard::synchronized_multipool_resource>(16, 200);
  expect_that_freed_memory_serves<mallard::synchronized_multipool_resource>(64, 1'000);
  expect_that_freed_memory_serves<mallard::synchronized_multipool_resource>(64, 600'000);
  expect_that_freed_memory_serves<mallard::synchronized_heap_resource>(64, 1'000);
  expect_that_freed_memory_serves<mallard::synchronized_heap_resource>(64, 50'000);
}

TEST(thread_heaps, empty_segments_of_large_blocks_serve_when_upstream_refuses) {
  constexpr std::size_t all = std::size_t{4} << 20;
  mallard::limit_resource limited({.bytes = all});
  mallard::synchronized_heap_resource resource(&limited);
  std::vector<void*> large;
  while (void* const p = resource.try_allocate(600'000)) large.push_back(p);
  for (void* p : large) resource.deallocate(p, 600'000);
  for (std::size_t got = 0; got < all / 10 * 7; got += 400) {
    ASSERT_NO_THROW((void)resource.allocate(400)) << got;
  }
  resource.release();
}

TEST_F(thread_heaps_test, what_an_ended_thread_left_is_adopted) {
  take(1);
  std::vector<void*> left;
  std::thread([&] { left = take(capacity / 2); }).join();
  EXPECT_EQ(heaps.usage().orphan_slabs, 1U);
  // The rest of the own slab, then the orphan's free slots, and upstream only after these.
  const std::size_t calls = upstream.counts().allocations;
  const std::vector<void*> own = take(capacity - 1);
  const std::vector<void*> adopted = take(1);
  EXPECT_EQ(home_of(adopted[0]), home_of(left[0]));
  EXPECT_EQ(upstream.counts().allocations, calls);
  EXPECT_EQ(heaps.usage().orphan_slabs, 0U);
  give(left);
  EXPECT_EQ(in_use(), capacity + 1);
}

TEST_F(thread_heaps_test, a_thread_that_ends_gives_empty_slabs_back) {
  take(1);
  const std::size_t blocks = upstream.counts().in_use_blocks;
  std::thread([&] { give(take(5 * capacity)); }).join();
  // The rest is the heap of that thread, for the next one.
  EXPECT_LE(upstream.counts().in_use_blocks, blocks + 1);
  EXPECT_EQ(heaps.usage().orphan_slabs, 0U);
}

TEST_F(thread_heaps_test, the_next_thread_gets_the_heap_of_one_that_ended) {
  take(1);
  std::thread([&] { give(take(1)); }).join();
  const std::size_t heap_bytes = heaps.usage().heap_bytes;
  EXPECT_GT(heap_bytes, 0U);
  for (int i = 0; i < 5; ++i) std::thread([&] { give(take(1)); }).join();
  EXPECT_EQ(heaps.usage().heap_bytes, heap_bytes);
}

TEST_F(thread_heaps_test, of_many_resources_each_thread_finds_its_heap) {
  std::vector<std::unique_ptr<thread_heaps>> many;
  for (std::size_t i = 0; i < 5 * known_heap_count; ++i) {
    many.push_back(std::make_unique<thread_heaps>(&upstream, 1, false));
  }
  for (int round = 0; round < 3; ++round) {
    for (const auto& one : many) one->give_small(one->take_small(index), index);
  }
  for (const auto& one : many) {
    const heaps_usage now = one->usage();
    EXPECT_EQ(now.heaps, 1U);
    EXPECT_EQ(now.slabs.slabs, 1U);
  }
}

}  // namespace
