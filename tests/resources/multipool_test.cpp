#include "mallard/multipool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <memory_resource>
#include <random>
#include <set>
#include <type_traits>
#include <vector>

#include "mallard/adaptive_pool.hpp"
#include "mallard/allocator.hpp"
#include "mallard/checks/test_resource.hpp"
#include "mallard/heap.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/synchronized_heap.hpp"
#include "mallard/synchronized_multipool.hpp"
#include "support/seeds.hpp"

namespace {

using mallard::multipool_options;
using mallard::multipool_resource;
using mallard::test_resource;

static_assert(std::is_nothrow_default_constructible_v<multipool_resource>);
static_assert(!std::is_copy_constructible_v<multipool_resource>);

constexpr std::size_t node_bytes = 24;

std::vector<void*> get_many(multipool_resource& pool, std::size_t count, std::size_t bytes) {
  std::vector<void*> blocks(count);
  for (void*& p : blocks) p = pool.allocate(bytes, 8);
  return blocks;
}

void give_all(multipool_resource& pool, const std::vector<void*>& blocks, std::size_t bytes) {
  for (void* p : blocks) pool.deallocate(p, bytes, 8);
}

TEST(multipool_resource, asks_for_nothing_before_the_first_request) {
  test_resource upstream;
  multipool_resource pool(&upstream);
  EXPECT_EQ(pool.upstream_resource(), &upstream);
  EXPECT_EQ(pool.stats().reserved_bytes, 0u);
  EXPECT_EQ(upstream.counts().allocations, 0u);
}

TEST(multipool_resource, hands_out_addresses_in_order_at_constant_distance) {
  multipool_resource pool;
  const auto blocks = get_many(pool, 200, node_bytes);
  std::size_t jumps = 0;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    jumps += static_cast<std::byte*>(blocks[i]) - static_cast<std::byte*>(blocks[i - 1]) !=
             static_cast<std::ptrdiff_t>(node_bytes + mallard::detail::redzone_bytes);
  }
  EXPECT_EQ(pool.stats().slabs, 3u);  // two small ones first
  EXPECT_EQ(jumps, 2u);
}

// Blocks that come and go stay where the first ones were, close together.
TEST(multipool_resource, a_few_blocks_return_to_the_small_slabs) {
  multipool_resource pool;
  std::set<void*> first;  // every second block of the two small slabs
  for (std::size_t i = 0; pool.stats().slabs < 3; ++i) {
    void* const p = pool.allocate(node_bytes);
    if (i % 2 == 0 && pool.stats().slabs < 3) first.insert(p);
  }
  for (int i = 0; i < 100; ++i) static_cast<void>(pool.allocate(node_bytes));
  for (void* const p : first) pool.deallocate(p, node_bytes);
  // At most the rest of a word of the whole slab comes in between.
  std::size_t returned = 0;
  for (std::size_t i = 0; i < first.size() + 64; ++i) {
    returned += first.contains(pool.allocate(node_bytes));
  }
  EXPECT_EQ(returned, first.size());
}

// A shuffled program stays as fast as a fresh one by this: addresses given back in any order come
// out again in ascending runs.
TEST(multipool_resource, reuses_addresses_in_order_after_random_frees) {
  for (const std::uint64_t seed : mallard_test::test_seeds(5)) {
    multipool_resource pool;
    auto blocks = get_many(pool, 20000, node_bytes);
    std::shuffle(blocks.begin(), blocks.end(), std::mt19937_64(seed));
    give_all(pool, blocks, node_bytes);
    const auto again = get_many(pool, blocks.size(), node_bytes);
    std::size_t descents = 0;
    for (std::size_t i = 1; i < again.size(); ++i) descents += again[i] < again[i - 1];
    // One descent per slab may happen, as slabs come in the order of their fill.
    const std::size_t slabs = pool.stats().slabs;
    EXPECT_LE(descents, slabs + 2) << mallard_test::reproduce_with(seed);
  }
}

TEST(multipool_resource, keeps_no_more_empty_slabs_than_it_is_told) {
  for (const std::size_t kept : {0u, 2u, 3u, 10u}) {
    test_resource upstream;
    multipool_resource pool(multipool_options{.empty_slabs_kept = kept}, &upstream);
    EXPECT_EQ(pool.options().empty_slabs_kept, kept);
    give_all(pool, get_many(pool, 100000, node_bytes), node_bytes);
    EXPECT_LE(pool.stats().empty_slabs, std::max<std::size_t>(kept, 2));
    // The slab of the hot block is not empty, but nothing else is in it.
    EXPECT_LE(pool.stats().slabs, std::max<std::size_t>(kept, 2));
    EXPECT_EQ(upstream.counts().in_use_bytes, pool.stats().reserved_bytes);
  }
}

TEST(multipool_resource, keeps_every_slab_when_told_to_keep_more_than_there_can_be) {
  for (const std::size_t kept :
       {~std::size_t{0}, std::size_t{1} << 32, (std::size_t{1} << 32) + 1}) {
    multipool_resource pool(multipool_options{.empty_slabs_kept = kept});
    const auto blocks = get_many(pool, 10000, node_bytes);
    const std::size_t slabs = pool.stats().slabs;
    give_all(pool, blocks, node_bytes);
    EXPECT_EQ(pool.stats().slabs, slabs);
  }
}

TEST(multipool_resource, trim_returns_every_empty_slab_and_says_how_much) {
  test_resource upstream;
  multipool_resource pool(multipool_options{.empty_slabs_kept = 10}, &upstream);
  for (const std::size_t bytes : {24u, 100u, 1000u, 20000u}) {
    give_all(pool, get_many(pool, 1000, bytes), bytes);
  }
  const std::size_t before = upstream.counts().in_use_bytes;
  EXPECT_GT(before, 0u);
  EXPECT_EQ(pool.trim(), before);
  EXPECT_EQ(upstream.counts().in_use_bytes, 0u);
  EXPECT_EQ(pool.stats().slabs, 0u);
  EXPECT_EQ(pool.trim(), 0u);
}

TEST(multipool_resource, trim_keeps_slabs_in_use) {
  multipool_resource pool;
  const auto blocks = get_many(pool, 5000, node_bytes);
  const std::size_t slabs = pool.stats().slabs;
  (void)pool.trim();
  EXPECT_EQ(pool.stats().slabs, slabs);
  give_all(pool, blocks, node_bytes);
}

TEST(multipool_resource, stats_count_exactly_what_is_in_use) {
  constexpr std::size_t block_bytes = 24 + mallard::detail::redzone_bytes;
  test_resource upstream;
  multipool_resource pool(&upstream);
  EXPECT_EQ(pool.stats().in_use_bytes, 0u);
  const auto blocks = get_many(pool, 3333, 24);
  EXPECT_EQ(pool.stats().in_use_bytes, 3333 * block_bytes);
  for (std::size_t i = 0; i < 1000; ++i) pool.deallocate(blocks[i], 24, 8);
  EXPECT_EQ(pool.stats().in_use_bytes, 2333 * block_bytes);
  void* const other = pool.allocate(1000, 8);
  const std::size_t other_bytes = pool.stats().in_use_bytes - 2333 * block_bytes;
  EXPECT_GE(other_bytes, 1000u);
  EXPECT_LE(other_bytes, 1250u);
  pool.deallocate(other, 1000, 8);
  EXPECT_EQ(pool.stats().in_use_bytes, 2333 * block_bytes);
  EXPECT_EQ(pool.stats().reserved_bytes, upstream.counts().in_use_bytes);
  EXPECT_EQ(pool.stats().slabs, upstream.counts().in_use_blocks);
}

TEST(multipool_resource, a_million_nodes_cost_little_more_than_their_bytes) {
  test_resource upstream;
  multipool_resource pool(&upstream);
  (void)get_many(pool, 1000000, node_bytes);
  constexpr double block_bytes = node_bytes + mallard::detail::redzone_bytes;
  const double over = static_cast<double>(upstream.counts().in_use_bytes) / (1e6 * block_bytes) - 1;
  EXPECT_LE(over, 0.015);
}

TEST(multipool_resource, a_block_beyond_the_largest_class_is_not_rounded_to_a_power_of_two) {
  test_resource upstream;
  multipool_resource pool(&upstream);
  const std::size_t bytes = multipool_resource::largest_pooled_bytes + 1;
  void* const p = pool.allocate(bytes, 8);
  EXPECT_EQ(pool.stats().oversize_blocks, 1u);
  EXPECT_EQ(pool.stats().in_use_bytes, bytes);
  EXPECT_LE(upstream.counts().in_use_bytes, bytes + 128);
  pool.deallocate(p, bytes, 8);
  EXPECT_EQ(upstream.counts().in_use_bytes, 0u);  // and goes back at once
  EXPECT_EQ(pool.stats().oversize_blocks, 0u);
  EXPECT_EQ(pool.stats().in_use_bytes, 0u);
}

TEST(multipool_resource, oversize_blocks_go_back_in_any_order) {
  test_resource upstream;
  multipool_resource pool(&upstream);
  auto blocks = get_many(pool, 100, 50000);
  std::shuffle(blocks.begin(), blocks.end(), std::mt19937_64(7));
  for (std::size_t i = 0; i < 60; ++i) pool.deallocate(blocks[i], 50000, 8);
  EXPECT_EQ(pool.stats().oversize_blocks, 40u);
  pool.release();
  EXPECT_EQ(upstream.counts().in_use_blocks, 0u);
}

TEST(multipool_resource, over_alignment_beyond_the_largest_class_is_honoured) {
  test_resource upstream;
  multipool_resource pool(&upstream);
  for (std::size_t alignment = 8192; alignment <= (1u << 20); alignment *= 2) {
    for (const std::size_t bytes : {0u, 1u, 24u, 5000u, 100000u}) {
      void* const p = pool.allocate(bytes, alignment);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0u);
      pool.deallocate(p, bytes, alignment);
    }
  }
}

TEST(multipool_resource, on_a_monotonic_resource_keeps_every_slab) {
  test_resource upstream;
  mallard::monotonic_resource arena(&upstream);
  multipool_resource pool(&arena);
  give_all(pool, get_many(pool, 100000, node_bytes), node_bytes);
  const std::size_t used = arena.stats().in_use_bytes;
  for (const std::size_t bytes : {24u, 200u}) {  // another class takes the same slabs over
    give_all(pool, get_many(pool, 10000, bytes), bytes);
  }
  EXPECT_EQ(arena.stats().in_use_bytes, used);
}

TEST(multipool_resource, a_slab_of_one_class_serves_another_after_it_is_empty) {
  test_resource upstream;
  multipool_resource pool(multipool_options{.empty_slabs_kept = 100}, &upstream);
  give_all(pool, get_many(pool, 20000, 24), 24);
  const auto calls = upstream.counts().allocations;
  give_all(pool, get_many(pool, 5000, 48), 48);
  EXPECT_EQ(upstream.counts().allocations, calls);
}

TEST(multipool_resource, free_blocks_are_never_written_to) {
  multipool_resource pool;
  std::vector<void*> blocks = get_many(pool, 1000, 4096);
  for (void* p : blocks) *static_cast<std::uint64_t*>(p) = 0x1234567890ABCDEF;
  give_all(pool, blocks, 4096);
  std::size_t unchanged = 0;
  for (void* p : get_many(pool, 1000, 4096)) {
    unchanged += *static_cast<std::uint64_t*>(p) == 0x1234567890ABCDEF;
  }
  // Slabs that went back to the page source and came again may have been written to there.
  EXPECT_GT(unchanged, 10u);
}

TEST(multipool_resource, the_reserve_fills_again_after_a_trim) {
  multipool_resource pool(multipool_options{.empty_slabs_kept = 10});
  const auto slabs_left_by_a_load = [&] {
    give_all(pool, get_many(pool, 20000, 24), 24);
    return pool.stats().slabs;
  };
  const std::size_t left = slabs_left_by_a_load();
  EXPECT_GT(left, 2u);
  pool.trim();
  EXPECT_EQ(pool.stats().slabs, 0u);
  EXPECT_EQ(slabs_left_by_a_load(), left);
}

// The share of a list's nodes that follow their predecessor within half a page, in percent.
template <class List>
int percent_of_close_neighbours(const List& list) {
  int close = 0;
  const int* last = &list.front();
  for (const int& value : list) {
    if (std::abs(reinterpret_cast<std::intptr_t>(&value) - reinterpret_cast<std::intptr_t>(last)) <
        2048) {
      ++close;
    }
    last = &value;
  }
  return close * 100 / static_cast<int>(list.size());
}

// A free list, or one hot block that may come from anywhere, scatters neighbours over the pool.
TEST(multipool, a_list_whose_nodes_were_replaced_many_times_over_is_still_in_order) {
  multipool_resource pool;
  std::list<int, mallard::allocator<int, multipool_resource>> list(20'000, 1, &pool);
  std::mt19937 engine(7);
  for (int moved = 0; moved < 400'000;) {
    const auto burst = static_cast<int>(engine() % 16);
    for (int i = 0; i < burst; ++i) list.pop_front();
    for (int i = 0; i < burst; ++i) list.push_back(2);
    moved += burst;
  }
  EXPECT_GE(percent_of_close_neighbours(list), 90);
}

// Waves of blocks of one size after the other; over an upstream that takes nothing back, what one
// leaves has to do for the next.
template <class Pool>
void allocate_in_waves(Pool& pool) {
  for (int round = 0; round < 50; ++round) {
    for (const std::size_t bytes : {24u, 100u, 40u, 256u}) {
      void* blocks[2000];
      for (void*& p : blocks) p = pool.allocate(bytes);
      for (void* p : blocks) pool.deallocate(p, bytes);
    }
  }
}

template <class Pool>
std::size_t bytes_taken_over_an_arena(auto&&... options) {
  mallard::monotonic_resource arena;
  Pool pool(options..., &arena);
  allocate_in_waves(pool);
  EXPECT_EQ(pool.options().empty_slabs_kept, mallard::detail::keep_every_slab);
  return arena.stats().in_use_bytes;
}

template <class Pool>
std::size_t bytes_taken_over_a_standard_arena(auto&&... options) {
  test_resource upstream;
  std::pmr::monotonic_buffer_resource arena(&upstream);
  Pool pool(options..., &arena);
  allocate_in_waves(pool);
  return upstream.counts().in_use_bytes;
}

template <class Pool, class Options>
void expect_the_same_with_options(Options options) {
  const std::size_t plain = bytes_taken_over_an_arena<Pool>();
  EXPECT_EQ(bytes_taken_over_an_arena<Pool>(options), plain);
  EXPECT_LE(bytes_taken_over_a_standard_arena<Pool>(options), 4 * plain);
  EXPECT_LE(bytes_taken_over_a_standard_arena<Pool>(), 4 * plain);
}

TEST(pools_over_an_arena, keep_every_slab_whatever_the_options) {
  expect_the_same_with_options<multipool_resource>(multipool_options{.empty_slabs_kept = 3});
  expect_the_same_with_options<mallard::heap_resource>(mallard::heap_options{});
  const mallard::adaptive_pool_options of_256_bytes{.block_bytes = 256};
  // Half a mebibyte of blocks, and in each chunk of the arena what a slab's alignment costs.
  // With redzones the blocks of other sizes, a third of a mebibyte, need more and larger slabs.
  const std::size_t most = mallard::detail::redzone_bytes == 0 ? 5u << 18 : 7u << 18;
  EXPECT_LE(bytes_taken_over_an_arena<mallard::adaptive_pool_resource>(of_256_bytes), most);
  expect_the_same_with_options<mallard::synchronized_multipool_resource>(
      mallard::synchronized_multipool_options{.empty_slabs_kept = 0});
  expect_the_same_with_options<mallard::synchronized_heap_resource>(
      mallard::heap_options{.empty_slabs_kept = 1});
}

}  // namespace
