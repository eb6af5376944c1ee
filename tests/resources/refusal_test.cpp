// Requests that upstream refuses: all that is free serves, and nothing is lost that must stay.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "mallard/adaptive_pool.hpp"
#include "mallard/checks/limit_resource.hpp"
#include "mallard/expandable_allocator.hpp"
#include "mallard/heap.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/synchronized_heap.hpp"
#include "mallard/synchronized_multipool.hpp"
#include "support/hooked_upstream.hpp"

namespace mallard::refusals {
namespace {

constexpr std::size_t KiB = 1024;

template <class Resource>
std::vector<void*> take_all(Resource& from, std::size_t bytes,
                            std::size_t alignment = alignof(std::max_align_t)) {
  std::vector<void*> blocks;
  while (void* const p = from.try_allocate(bytes, alignment)) blocks.push_back(p);
  return blocks;
}

// How many blocks there are. All are free afterwards.
template <class Resource>
std::size_t fill(Resource& resource, std::size_t bytes) {
  const std::vector<void*> blocks = take_all(resource, bytes);
  for (void* p : blocks) resource.deallocate(p, bytes);
  return blocks.size();
}

// Takes what the limit leaves, until it goes.
class rest_of_limit {
 public:
  explicit rest_of_limit(limit_resource& limited) : from_(limited), all_(take_all(limited, 64)) {}
  ~rest_of_limit() {
    for (void* p : all_) from_.deallocate(p, 64);
  }
  rest_of_limit(const rest_of_limit&) = delete;
  rest_of_limit& operator=(const rest_of_limit&) = delete;

 private:
  limit_resource& from_;
  std::vector<void*> all_;
};

template <class Resource>
class pool_that_keeps_every_slab : public testing::Test {
 protected:
  // `bytes` blocks fill the arena; then there is no room for one of `other_bytes`.
  void expect_nothing_lost(std::size_t room, std::size_t bytes, std::size_t other_bytes) {
    const auto storage = std::make_unique<std::byte[]>(room);
    monotonic_resource arena(storage.get(), room, std::pmr::null_memory_resource());
    std::pmr::memory_resource* const plain = &arena;
    {
      Resource of_option({.empty_slabs_kept = ~std::size_t{0}}, plain);
      expect_nothing_lost(of_option, bytes, other_bytes);
    }
    arena.release();
    Resource of_type{upstream_ref(arena)};
    expect_nothing_lost(of_type, bytes, other_bytes);
  }

 private:
  void expect_nothing_lost(Resource& pool, std::size_t bytes, std::size_t other_bytes) {
    const std::size_t all = fill(pool, bytes);
    EXPECT_GT(all, 5U);
    EXPECT_EQ(pool.try_allocate(other_bytes), nullptr);
    EXPECT_EQ(fill(pool, bytes), all);
  }
};
using pools = testing::Types<multipool_resource, heap_resource, synchronized_multipool_resource,
                             synchronized_heap_resource>;
TYPED_TEST_SUITE(pool_that_keeps_every_slab, pools);

TYPED_TEST(pool_that_keeps_every_slab, loses_none_to_a_refused_slab_of_another_class) {
  this->expect_nothing_lost(1024 * KiB, 100, 900);
  this->expect_nothing_lost(1024 * KiB, 100, 3'000);
}

TYPED_TEST(pool_that_keeps_every_slab, loses_none_when_threads_end) {
  monotonic_resource arena;
  std::pmr::memory_resource* const plain = &arena;
  TypeParam pool({.empty_slabs_kept = ~std::size_t{0}}, plain);
  const auto work = [&] {
    std::vector<void*> blocks;
    for (int i = 0; i < 2000; ++i) blocks.push_back(pool.allocate(100));
    for (void* p : blocks) pool.deallocate(p, 100);
  };
  std::thread(work).join();
  const std::size_t once = arena.stats().in_use_bytes;
  for (int i = 0; i < 10; ++i) std::thread(work).join();
  EXPECT_EQ(arena.stats().in_use_bytes, once);
}

// These make lone blocks where there is no room for a slab.
template <class Resource>
class pool_with_lone_blocks : public pool_that_keeps_every_slab<Resource> {};
using pools_with_lone_blocks = testing::Types<multipool_resource, heap_resource>;
TYPED_TEST_SUITE(pool_with_lone_blocks, pools_with_lone_blocks);

TYPED_TEST(pool_with_lone_blocks, loses_none_to_a_refused_one) {
  this->expect_nothing_lost(60'000, 3'000, 30'000);
}

template <class Resource>
class pool_over_a_limit : public testing::Test {};
TYPED_TEST_SUITE(pool_over_a_limit, pools);

// It is at hand for requests of its own size, and fits this one, too.
TYPED_TEST(pool_over_a_limit, serves_from_the_block_that_was_freed_last) {
  for (const std::size_t alignment : {16U, 128U}) {
    limit_resource limited({.bytes = 300 * KiB});
    TypeParam pool(&limited);
    const std::vector<void*> blocks = take_all(pool, 7'100, alignment);
    pool.deallocate(blocks.back(), 7'100, alignment);
    EXPECT_NE(pool.try_allocate(7'040, alignment), nullptr) << alignment;
  }
}

template <class Resource>
class heap_over_a_limit : public testing::Test {};
using heaps = testing::Types<heap_resource, synchronized_heap_resource>;
TYPED_TEST_SUITE(heap_over_a_limit, heaps);

TYPED_TEST(heap_over_a_limit, takes_a_burst_from_the_block_that_was_freed_last) {
  for (const std::size_t bytes : {24U, 600U, 1'000U}) {
    limit_resource limited({.bytes = 300 * KiB});
    TypeParam heap(&limited);
    heap.deallocate(take_all(heap, bytes).back(), bytes);
    EXPECT_EQ(heap.allocate_many(1, bytes).size(), 1U) << bytes;
  }
}

TYPED_TEST(heap_over_a_limit, serves_a_new_thread_from_empty_segments) {
  limit_resource limited({.bytes = 1'500 * KiB});
  TypeParam heap(&limited);
  heap.deallocate(heap.allocate(16), 16);
  heap.deallocate_expandable(heap.allocate_at_least(1024 * KiB).p);
  const rest_of_limit rest(limited);
  std::thread([&] { EXPECT_NE(heap.try_allocate(16), nullptr); }).join();
}

TYPED_TEST(heap_over_a_limit, refuses_a_burst_that_its_alignment_makes_too_large) {
  limit_resource limited({.bytes = 1024 * KiB});
  TypeParam heap(&limited);
  EXPECT_THROW((void)heap.allocate_many(std::size_t{1} << 52, 8, 4096), std::bad_array_new_length);
  EXPECT_EQ(limited.in_use().bytes, 0U);
}

TEST(adaptive_pool_over_a_limit, serves_other_sizes_from_its_empty_slabs) {
  limit_resource limited({.bytes = 1024 * KiB});
  adaptive_pool_resource pool({.block_bytes = 64, .empty_slabs_kept = 100}, &limited);
  fill(pool, 64);
  EXPECT_NE(pool.try_allocate(100'000), nullptr);
}

TEST(adaptive_pool_over_a_limit, serves_its_own_size_from_what_other_sizes_left) {
  limit_resource limited({.bytes = 1024 * KiB});
  adaptive_pool_resource pool({.block_bytes = 64, .empty_slabs_kept = 100}, &limited);
  std::vector<void*> others;
  for (int i = 0; i < 200; ++i) others.push_back(pool.allocate(3'000));
  const rest_of_limit rest(limited);
  for (void* p : others) pool.deallocate(p, 3'000);
  EXPECT_NE(pool.try_allocate(64), nullptr);
}

TEST(adaptive_pool_over_an_arena, takes_no_more_of_it_by_refused_requests) {
  monotonic_resource arena;
  adaptive_pool_resource pool{upstream_ref(arena)};
  EXPECT_EQ(pool.try_allocate(std::size_t{1} << 62), nullptr);
  const std::size_t once = arena.stats().in_use_bytes;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(pool.try_allocate(std::size_t{1} << 62), nullptr);
  EXPECT_EQ(arena.stats().in_use_bytes, once);
}

// It asks the pool for another block before it serves, and refuses that.
class asks_back final : public std::pmr::memory_resource {
 public:
  adaptive_pool_resource* pool = nullptr;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (is_inside_) throw std::bad_alloc();
    if (bytes > 2'000 && pool != nullptr) {
      is_inside_ = true;
      EXPECT_EQ(pool->try_allocate(5'000), nullptr);
      is_inside_ = false;
    }
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  bool is_inside_ = false;
};

TEST(adaptive_pool_resource, keeps_what_serves_a_request_while_upstream_refuses_another) {
  asks_back upstream;
  adaptive_pool_resource pool({.block_bytes = 24}, &upstream);
  upstream.pool = &pool;
  for (const std::size_t bytes : {700U, 90'000U}) {
    void* const p = pool.allocate(bytes);
    EXPECT_EQ(pool.stats().oversize_blocks, 1U);
    pool.deallocate(p, bytes);
    pool.trim();
  }
}

TEST(adaptive_pool_resource, keeps_apart_what_upstream_takes_before_the_block_size_is_set) {
  constexpr std::size_t bytes = 4'000;
  for (const std::size_t asked : {8U, 3'900U, 100'000U}) {
    mallard_test::hooked_upstream upstream;
    adaptive_pool_resource pool(&upstream);
    std::vector<std::pair<void*, std::size_t>> blocks;
    upstream.before_allocate = mallard_test::once([&] {
      for (int i = 0; i < 3; ++i) blocks.emplace_back(pool.allocate(asked), asked);
    });
    for (int i = 0; i < 40; ++i) blocks.emplace_back(pool.allocate(bytes), bytes);
    ASSERT_EQ(blocks.size(), 43U);
    std::ranges::sort(blocks);
    for (std::size_t i = 1; i < blocks.size(); ++i) {
      const auto [p, size] = blocks[i - 1];
      EXPECT_LE(static_cast<std::byte*>(p) + size, blocks[i].first) << asked;
    }
    for (const auto& [p, size] : blocks) pool.deallocate(p, size);
    EXPECT_EQ(pool.stats().in_use_blocks, 0U);
    EXPECT_EQ(pool.stats().oversize_blocks, 0U);
  }
}

TEST(adaptive_pool_resource,
     frees_where_it_was_a_block_that_upstream_took_before_the_size_was_set) {
  mallard_test::hooked_upstream upstream;
  adaptive_pool_resource pool(&upstream);
  void* held = nullptr;
  upstream.before_allocate = mallard_test::once([&] { held = pool.allocate(100, 8); });
  void* const large = pool.allocate(1'000, 8);
  std::vector<void*> small;
  for (int i = 0; i < 3; ++i) small.push_back(pool.allocate(100, 8));
  pool.deallocate(held, 100, 8);
  for (void* p : small) pool.deallocate(p, 100, 8);
  pool.deallocate(large, 1'000, 8);
  EXPECT_EQ(pool.stats().in_use_blocks + pool.stats().oversize_blocks, 0U);
}

TEST(adaptive_pool_resource, keeps_the_blocks_that_upstream_takes_while_it_gets_slabs_back) {
  mallard_test::hooked_upstream upstream;
  adaptive_pool_resource pool(&upstream);
  pool.deallocate(pool.allocate(1'000, 8), 1'000, 8);
  std::vector<void*> taken;
  upstream.after_deallocate = mallard_test::once([&] {
    for (int i = 0; i < 2; ++i) taken.push_back(pool.allocate(1'000, 8));
  });
  void* const p = pool.allocate(100, 8);
  EXPECT_EQ(taken.size(), 2U);
  EXPECT_EQ(pool.stats().in_use_blocks + pool.stats().oversize_blocks, 3U);
  for (void* one : taken) pool.deallocate(one, 1'000, 8);
  pool.deallocate(p, 100, 8);
  EXPECT_EQ(pool.stats().in_use_blocks + pool.stats().oversize_blocks, 0U);
}

TEST(adaptive_pool_resource, loses_no_slot_where_upstream_calls_back_and_refuses) {
  mallard_test::hooked_upstream upstream;
  adaptive_pool_resource pool({.block_bytes = 200, .alignment = 8}, &upstream);
  pool.deallocate(pool.allocate(5'000, 8), 5'000, 8);  // something to make room of
  void* taken = nullptr;
  upstream.before_allocate = mallard_test::once([&] {
    taken = pool.allocate(200, 8);
    throw std::bad_alloc();
  });
  void* const p = pool.allocate(200, 8);
  pool.deallocate(p, 200, 8);
  pool.deallocate(taken, 200, 8);
  pool.trim();
  EXPECT_EQ(pool.stats().reserved_bytes, 0U);
}

TEST(adaptive_pool_resource, a_refused_request_decides_no_block_size) {
  mallard_test::hooked_upstream upstream;
  adaptive_pool_resource pool(&upstream);
  for (int i = 0; i < 2; ++i) {
    upstream.before_allocate = mallard_test::once([] { throw std::bad_alloc(); });
    EXPECT_EQ(pool.try_allocate(24, 8), nullptr);
  }
  EXPECT_EQ(pool.stats().block_bytes, 0U);
  void* const p = pool.allocate(100, 8);
  EXPECT_EQ(pool.stats().in_use_blocks, 1U);
  pool.deallocate(p, 100, 8);
}

TEST(adaptive_pool_resource, a_refused_burst_decides_no_block_size) {
  limit_resource limited({.bytes = 100 * KiB});
  adaptive_pool_resource pool(&limited);
  EXPECT_THROW(static_cast<void>(pool.allocate_many(std::size_t{10'000}, 24)), std::bad_alloc);
  void* const p = pool.allocate(8);
  EXPECT_LT(pool.stats().block_bytes, 24U);
  pool.deallocate(p, 8);
}

TEST(adaptive_pool_resource, an_empty_burst_decides_no_block_size) {
  adaptive_pool_resource pool;
  EXPECT_TRUE(pool.allocate_many(std::size_t{0}, 24).empty());
  EXPECT_EQ(pool.stats().block_bytes, 0U);
}

TEST(monotonic_resource, serves_from_chunks_that_it_keeps_for_other_sizes) {
  limit_resource limited({.bytes = 1'100 * KiB});
  for (const auto& [first, then, count] : {std::array<std::size_t, 3>{900 * KiB, 300 * KiB, 1},
                                           std::array<std::size_t, 3>{900 * KiB, 1 * KiB, 800},
                                           std::array<std::size_t, 3>{400, 300 * KiB, 1}}) {
    monotonic_resource arena(&limited);
    const auto start = arena.mark();
    static_cast<void>(take_all(arena, first));
    arena.rewind(start);
    for (std::size_t i = 0; i != count; ++i) {
      void* const p = arena.try_allocate(then);
      ASSERT_NE(p, nullptr) << first << ", " << then;
      std::memset(p, 1, then);
    }
    arena.rewind(start);
    EXPECT_FALSE(take_all(arena, first).empty());
  }
}

// As Boost's containers ask.
TEST(expandable_allocator, tells_no_more_than_the_block_has_however_much_was_preferred) {
  limit_resource limited({.bytes = 200 * KiB});
  heap_resource heap(&limited);
  using allocator = expandable_allocator<char, heap_resource, without::received_size>;
  allocator from(&heap);
  constexpr std::size_t preferred = 1'000'000;
  constexpr unsigned allocate_new = 1, expand_fwd = 2, nothrow = 16;
  std::size_t count = preferred;
  char* reuse = nullptr;
  char* const made = from.allocation_command(allocate_new | nothrow, 1'000, count, reuse);
  ASSERT_NE(made, nullptr);
  EXPECT_GE(count, 1'000U);
  EXPECT_LT(count, 200 * KiB);
  count = preferred;
  reuse = made;
  if (from.allocation_command(expand_fwd | nothrow, 1'100, count, reuse) != nullptr) {
    EXPECT_LT(count, 200 * KiB);
  }
  // The limit is the least, however few are preferred.
  count = 5;
  reuse = nullptr;
  ASSERT_NE(from.allocation_command(allocate_new | nothrow, 10, count, reuse), nullptr);
  EXPECT_GE(count, 10U);
  count = 5;
  reuse = made;
  EXPECT_EQ(from.allocation_command(expand_fwd | nothrow, 300'000, count, reuse), nullptr);
}

}  // namespace
}  // namespace mallard::refusals
