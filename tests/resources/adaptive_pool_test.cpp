#include "mallard/adaptive_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <random>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "mallard/checks/test_resource.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"

namespace {

using mallard::adaptive_pool_options;
using mallard::adaptive_pool_resource;
using mallard::test_resource;

TEST(adaptive_pool_resource, the_first_request_fixes_the_block) {
  test_resource upstream;
  adaptive_pool_resource pool(&upstream);
  void* const node = pool.allocate(40, 8);
  EXPECT_EQ(pool.stats().block_bytes, 40u);
  EXPECT_EQ(pool.stats().in_use_blocks, 1u);
  void* const other = pool.allocate(100, 8);  // does not fit: upstream
  EXPECT_EQ(pool.stats().in_use_blocks, 1u);
  EXPECT_EQ(pool.stats().oversize_blocks, 1u);
  pool.deallocate(other, 100, 8);
  EXPECT_EQ(pool.stats().oversize_blocks, 0u);
  pool.deallocate(node, 40, 8);
  EXPECT_EQ(pool.stats().in_use_blocks, 0u);
}

TEST(adaptive_pool_resource, pools_nothing_where_no_block_can_be_so_large) {
  for (const std::size_t bytes : {~std::size_t{0}, ~std::size_t{0} - 8}) {
    adaptive_pool_resource pool(adaptive_pool_options{.block_bytes = bytes});
    pool.deallocate(pool.allocate(1, 1), 1, 1);
    EXPECT_EQ(pool.stats().slabs, 0u);
  }
}

TEST(adaptive_pool_resource, release_opens_the_block_size_again) {
  adaptive_pool_resource pool;
  (void)pool.allocate(40, 8);
  pool.release();
  (void)pool.allocate(200, 8);
  EXPECT_EQ(pool.stats().block_bytes, 200u);

  adaptive_pool_resource fixed(adaptive_pool_options{.block_bytes = 24, .alignment = 8});
  (void)fixed.allocate(24, 8);
  fixed.release();
  EXPECT_EQ(fixed.stats().block_bytes, 24u);
}

TEST(adaptive_pool_resource, an_open_block_size_is_that_of_nodes_not_of_the_table_reserved_first) {
  test_resource upstream;
  {
    adaptive_pool_resource pool(&upstream);
    std::pmr::unordered_set<int> ints(&pool);
    ints.reserve(1000);
    for (int i = 0; i < 1000; ++i) ints.insert(i);
    EXPECT_LE(pool.stats().block_bytes, 32u);
    EXPECT_EQ(pool.stats().in_use_blocks, 1000u);
    EXPECT_LE(upstream.counts().in_use_bytes, std::size_t{512} << 10);
    ints = std::pmr::unordered_set<int>(&pool);
    EXPECT_EQ(pool.stats().in_use_blocks, 0u);
    EXPECT_EQ(pool.stats().oversize_blocks, 0u);
  }
  EXPECT_EQ(upstream.counts().in_use_blocks, 0u);
}

// Every order in which the blocks of a few sizes can come, go and be forgotten.
TEST(adaptive_pool_resource, an_open_block_size_settles_whatever_comes) {
  constexpr std::array<std::size_t, 6> sizes{8000, 100, 50, 24, 20, 40'000};
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    test_resource upstream;
    adaptive_pool_resource pool(&upstream);
    std::vector<std::pair<unsigned char*, std::size_t>> live;
    for (int step = 0; step < 20; ++step) {
      if (random() % 3 == 0 && !live.empty()) {
        std::swap(live[random() % live.size()], live.back());
        const auto [p, bytes] = live.back();
        live.pop_back();
        ASSERT_EQ(std::count(p, p + bytes, bytes % 251), static_cast<std::ptrdiff_t>(bytes));
        pool.deallocate(p, bytes, 8);
      } else if (random() % 20 == 0) {
        pool.trim();
      } else {
        const std::size_t bytes = sizes[random() % sizes.size()];
        auto* const p = static_cast<unsigned char*>(pool.allocate(bytes, 8));
        std::memset(p, static_cast<int>(bytes % 251), bytes);
        live.emplace_back(p, bytes);
      }
      ASSERT_EQ(pool.stats().in_use_blocks + pool.stats().oversize_blocks, live.size());
    }
    if (round % 2 == 0) continue;
    for (const auto& [p, bytes] : live) pool.deallocate(p, bytes, 8);
    pool.trim();
    ASSERT_EQ(pool.stats().reserved_bytes, 0u);
    ASSERT_EQ(upstream.counts().in_use_blocks, 0u);
  }
}

TEST(adaptive_pool_resource, an_alignment_of_0_is_the_usual_one) {
  adaptive_pool_resource pool(adaptive_pool_options{.block_bytes = 24, .alignment = 0});
  static_cast<void>(pool.allocate(24, 8));
  EXPECT_EQ(pool.stats().in_use_blocks, 1u);
  EXPECT_EQ(pool.stats().oversize_blocks, 0u);
  static_cast<void>(pool.allocate(24, 16));
  EXPECT_EQ(pool.stats().in_use_blocks, 2u);
}

TEST(adaptive_pool_resource, blocks_lie_side_by_side_without_headers) {
  adaptive_pool_resource pool(adaptive_pool_options{.block_bytes = 40, .alignment = 8});
  auto* last = static_cast<std::byte*>(pool.allocate(40, 8));
  for (int i = 0; i < 100; ++i) {
    auto* const next = static_cast<std::byte*>(pool.allocate(40, 8));
    EXPECT_EQ(next, last + 40 + mallard::detail::redzone_bytes);
    last = next;
  }
}

TEST(adaptive_pool_resource, blocks_are_aligned_as_the_options_say) {
  adaptive_pool_resource pool(adaptive_pool_options{.block_bytes = 100, .alignment = 64});
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pool.allocate(100, 64)) % 64, 0u);
  }
}

TEST(adaptive_pool_resource, memory_of_empty_slabs_goes_back_to_upstream) {
  for (const std::size_t kept : {0u, 3u, 8u}) {
    test_resource upstream;
    adaptive_pool_resource pool(
        adaptive_pool_options{.block_bytes = 24, .alignment = 8, .empty_slabs_kept = kept},
        &upstream);
    std::vector<void*> blocks(100000);
    for (void*& p : blocks) p = pool.allocate(24, 8);
    EXPECT_GT(pool.stats().slabs, 50u);
    for (void* p : blocks) pool.deallocate(p, 24, 8);
    EXPECT_LE(pool.stats().slabs, std::max<std::size_t>(kept, 2));
    EXPECT_EQ(pool.stats().reserved_bytes, upstream.counts().in_use_bytes);
    (void)pool.trim();
    EXPECT_EQ(upstream.counts().in_use_bytes, 0u);
  }
}

TEST(adaptive_pool_resource, many_at_once_are_distinct_and_may_go_back_one_by_one) {
  adaptive_pool_resource pool(adaptive_pool_options{.block_bytes = 32});
  std::array<void*, 3000> blocks{};
  pool.allocate_many(blocks.data(), blocks.size(), 32);
  EXPECT_EQ(std::set<void*>(blocks.begin(), blocks.end()).size(), blocks.size());
  EXPECT_EQ(pool.stats().in_use_blocks, blocks.size());
  for (std::size_t i = 0; i < 1000; ++i) pool.deallocate(blocks[i], 32);
  pool.deallocate_many(blocks.data() + 1000, 2000, 32);
  EXPECT_EQ(pool.stats().in_use_blocks, 0u);
}

TEST(adaptive_pool_resource, many_at_once_are_all_or_nothing) {
  test_resource upstream;
  adaptive_pool_resource pool(adaptive_pool_options{.block_bytes = 32}, &upstream);
  std::array<void*, 3000> blocks{};
  upstream.fail_at(2);
  EXPECT_THROW(pool.allocate_many(blocks.data(), blocks.size(), 32), std::bad_alloc);
  EXPECT_EQ(pool.stats().in_use_blocks, 0u);
}

TEST(adaptive_pool_resource, many_of_several_sizes_come_in_their_order) {
  test_resource upstream;
  adaptive_pool_resource pool(adaptive_pool_options{.block_bytes = 32}, &upstream);
  const std::vector<std::size_t> sizes{32, 800, 24, 80'000};
  mallard::block_chain chain = pool.allocate_many(sizes, 8);
  ASSERT_EQ(chain.size(), sizes.size());
  for (const std::size_t bytes : sizes) {
    void* const p = chain.pop_front();
    std::memset(p, 1, bytes);
    pool.deallocate(p, bytes, 8);
  }
  EXPECT_EQ(pool.stats().in_use_blocks + pool.stats().oversize_blocks, 0u);
}

TEST(adaptive_pool_resource, other_sizes_hold_no_more_memory_than_in_a_multipool) {
  constexpr std::array<std::size_t, 6> sizes{40, 100, 17, 200, 64, 900};
  const auto fill = [&](auto& pool) {
    for (std::size_t i = 0; i < 30'000; ++i) (void)pool.allocate(sizes[i % sizes.size()], 8);
  };
  test_resource of_pool;
  adaptive_pool_resource pool({.block_bytes = 40, .alignment = 8}, &of_pool);
  fill(pool);
  test_resource of_multipool;
  mallard::multipool_resource multipool(&of_multipool);
  fill(multipool);
  EXPECT_LE(of_pool.counts().in_use_bytes, of_multipool.counts().in_use_bytes / 10 * 13);
  EXPECT_LE(of_pool.counts().allocations, of_multipool.counts().allocations / 10 * 13);
  EXPECT_EQ(pool.stats().reserved_bytes, of_pool.counts().in_use_bytes);
  EXPECT_EQ(pool.stats().in_use_blocks, 10'000u);  // 17 takes more than half of a block
}

TEST(adaptive_pool_resource, a_request_of_half_a_block_or_less_takes_none) {
  adaptive_pool_resource pool({.block_bytes = 400, .alignment = 8});
  for (int i = 0; i < 1000; ++i) (void)pool.allocate(24, 8);
  EXPECT_EQ(pool.stats().in_use_blocks, 0u);
  EXPECT_LE(pool.stats().reserved_bytes, std::size_t{64} << 10);
  void* const p = pool.allocate(300, 8);
  EXPECT_EQ(pool.stats().in_use_blocks, 1u);
  pool.deallocate(p, 300, 8);
  EXPECT_EQ(pool.stats().in_use_blocks, 0u);
}

TEST(adaptive_pool_resource, one_size_takes_slabs_and_nothing_else) {
  test_resource upstream;
  adaptive_pool_resource pool({.block_bytes = 24, .alignment = 8}, &upstream);
  for (int i = 0; i < 1000; ++i) (void)pool.allocate(24, 8);
  EXPECT_EQ(upstream.counts().in_use_blocks, pool.stats().slabs);
}

TEST(adaptive_pool_resource, trim_gives_back_what_other_sizes_held) {
  test_resource upstream;
  adaptive_pool_resource pool({.block_bytes = 24, .alignment = 8}, &upstream);
  void* const p = pool.allocate(1000, 8);
  void* const large = pool.allocate(100'000, 8);
  EXPECT_EQ(pool.stats().oversize_blocks, 2u);
  pool.deallocate(p, 1000, 8);
  pool.trim();
  EXPECT_TRUE(pool.owns(large));
  pool.deallocate(large, 100'000, 8);
  const std::size_t held = upstream.counts().in_use_bytes;
  EXPECT_EQ(pool.trim(), held);
  EXPECT_EQ(upstream.counts().in_use_blocks, 0u);
}

TEST(adaptive_pool_resource, another_size_without_memory_leaves_the_pool_as_it_was) {
  for (const int failing : {0, 1}) {
    test_resource upstream;
    adaptive_pool_resource pool({.block_bytes = 24, .alignment = 8}, &upstream);
    upstream.fail_after(static_cast<std::size_t>(failing));
    EXPECT_THROW(static_cast<void>(pool.allocate(1000, 8)), std::bad_alloc);
    EXPECT_EQ(upstream.counts().in_use_blocks, 0u);
    EXPECT_EQ(pool.stats().oversize_blocks, 0u);
    upstream.never_fail();
    pool.deallocate(pool.allocate(1000, 8), 1000, 8);
  }
}

TEST(adaptive_pool_resource, other_sizes_come_from_an_arena_and_go_with_it) {
  mallard::monotonic_resource arena;
  adaptive_pool_resource pool({.block_bytes = 24, .alignment = 8}, &arena);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t bytes = 1; bytes < 100'000; bytes *= 3) {
      std::memset(pool.allocate(bytes, 8), 1, bytes);
    }
    pool.release();
    EXPECT_EQ(pool.stats().reserved_bytes, 0u);
  }
}

TEST(adaptive_pool_resource, owns_the_block_of_a_size_that_was_not_kept) {
  adaptive_pool_resource pool;
  void* const table = pool.allocate(8000, 8);
  void* const node = pool.allocate(24, 8);
  EXPECT_TRUE(pool.owns(table));
  EXPECT_TRUE(pool.owns(node));
  EXPECT_FALSE(pool.owns(&pool));
}

}  // namespace
