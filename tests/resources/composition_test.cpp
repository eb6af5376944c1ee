// Resources that are made of resources.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory_resource>
#include <new>
#include <thread>
#include <vector>

#include "mallard/adaptive_pool.hpp"
#include "mallard/checks/test_resource.hpp"
#include "mallard/failure_callback.hpp"
#include "mallard/fallback.hpp"
#include "mallard/mark_scope.hpp"
#include "mallard/memory/static.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/reserved.hpp"
#include "mallard/scratch.hpp"
#include "mallard/segregating.hpp"
#include "mallard/synchronized.hpp"
#include "mallard/typed.hpp"
#include "support/threads.hpp"

namespace {

using mallard::monotonic_resource;
using mallard::multipool_resource;
using mallard::test_resource;

TEST(owns, tells_the_blocks_of_a_resource_from_others) {
  alignas(16) std::byte buffer[256];
  int outside = 0;
  const auto check = [&](auto& resource) {
    EXPECT_FALSE(resource.owns(&outside));
    for (const std::size_t bytes :
         {std::size_t{1}, std::size_t{24}, std::size_t{5000}, std::size_t{500'000}}) {
      auto* const p = static_cast<std::byte*>(resource.allocate(bytes, 8));
      EXPECT_TRUE(resource.owns(p));
      EXPECT_TRUE(resource.owns(p + bytes - 1));
      EXPECT_FALSE(resource.owns(&outside));
      resource.deallocate(p, bytes, 8);
    }
  };
  monotonic_resource monotonic;
  monotonic_resource buffered(buffer);
  mallard::reserved_resource reserved;
  multipool_resource pool;
  mallard::adaptive_pool_resource nodes({.block_bytes = 24});
  check(monotonic);
  check(buffered);
  check(reserved);
  check(pool);
  check(nodes);
  EXPECT_FALSE(monotonic.owns(nullptr));
}

TEST(fallback_resource, what_does_not_fit_into_the_first_comes_from_the_second) {
  alignas(16) std::byte buffer[256];
  monotonic_resource first(buffer, std::pmr::null_memory_resource());
  test_resource second;
  mallard::fallback_resource both(&first, &second);
  void* const small = both.allocate(100, 8);
  void* const large = both.allocate(1000, 8);
  EXPECT_TRUE(first.owns(small));
  EXPECT_FALSE(first.owns(large));
  EXPECT_EQ(both.fallen_back(), 1u);
  EXPECT_EQ(second.counts().in_use_bytes, 1000u);
  both.deallocate(small, 100, 8);
  both.deallocate(large, 1000, 8);
  EXPECT_EQ(second.counts().in_use_blocks, 0u);
}

TEST(fallback_resource, nodes_fill_static_memory_and_then_spill) {
  static mallard::static_storage<64 * 1024> storage;
  mallard::adaptive_pool_resource nodes(&storage.resource());
  test_resource spill;
  mallard::fallback_resource both(&nodes, &spill);
  {
    std::pmr::list<std::uint64_t> numbers(&both);
    for (std::uint64_t i = 0; i < 5000; ++i) numbers.push_back(i);
    EXPECT_GT(both.fallen_back(), 1000u);
    EXPECT_LT(both.fallen_back(), 4000u);  // most of the static memory holds nodes
    std::uint64_t sum = 0;
    for (const std::uint64_t n : numbers) sum += n;
    EXPECT_EQ(sum, 4999u * 5000 / 2);
  }
  EXPECT_EQ(spill.counts().in_use_blocks, 0u);
}

TEST(fallback_resource, blocks_find_their_way_back_in_any_order) {
  test_resource below;
  below.fail_after(4);  // slabs and large blocks
  multipool_resource first(&below);
  test_resource second;
  {
    mallard::fallback_resource<multipool_resource, test_resource> both(&first, &second);
    std::vector<void*> blocks;
    for (int i = 0; i < 5000; ++i) blocks.push_back(both.allocate(64, 8));
    EXPECT_GT(both.fallen_back(), 0u);
    for (std::size_t i = 0; i < blocks.size(); i += 2) both.deallocate(blocks[i], 64, 8);
    for (std::size_t i = 1; i < blocks.size(); i += 2) both.deallocate(blocks[i], 64, 8);
  }
  EXPECT_EQ(second.counts().in_use_blocks, 0u);
  EXPECT_EQ(first.stats().in_use_bytes, 0u);
}

TEST(fallback_resource, stacks) {
  alignas(16) std::byte one[64], two[64];
  monotonic_resource a(one, std::pmr::null_memory_resource());
  monotonic_resource b(two, std::pmr::null_memory_resource());
  mallard::fallback_resource ab(&a, &b);
  test_resource last;
  mallard::fallback_resource all(&ab, &last);
  std::pmr::memory_resource& base = all;
  void* const p = base.allocate(48);
  void* const q = base.allocate(48);
  void* const r = base.allocate(48);
  EXPECT_TRUE(a.owns(p));
  EXPECT_TRUE(b.owns(q));
  EXPECT_TRUE(ab.owns(q));
  EXPECT_EQ(last.counts().in_use_blocks, 1u);
  base.deallocate(r, 48);
  EXPECT_EQ(last.counts().in_use_blocks, 0u);
}

TEST(segregating_resource, the_size_chooses) {
  test_resource small, large;
  mallard::segregating_resource by_size(100, &small, &large);
  void* const p = by_size.allocate(100, 8);
  void* const q = by_size.allocate(101, 8);
  EXPECT_EQ(small.counts().in_use_bytes, 100u);
  EXPECT_EQ(large.counts().in_use_bytes, 101u);
  by_size.deallocate(p, 100, 8);
  by_size.deallocate(q, 101, 8);
  EXPECT_EQ(small.counts().in_use_blocks + large.counts().in_use_blocks, 0u);
  EXPECT_EQ(by_size.largest_small_bytes(), 100u);
}

TEST(segregating_resource, absurd_sizes_get_no_block) {
  std::pmr::memory_resource* const heap = std::pmr::new_delete_resource();
  mallard::segregating_resource all_small(SIZE_MAX, heap, heap);
  mallard::segregating_resource all_large(0, heap, heap);
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 6, std::size_t{PTRDIFF_MAX} + 1}) {
    EXPECT_THROW((void)all_small.allocate(bytes, 8), std::bad_alloc);
    EXPECT_THROW((void)all_large.allocate(bytes, 8), std::bad_alloc);
  }
  all_small.deallocate(all_small.allocate(100, 8), 100, 8);
}

TEST(segregating_resource, owns_what_either_does) {
  monotonic_resource small, large;
  mallard::segregating_resource by_size(100, &small, &large);
  EXPECT_TRUE(by_size.owns(by_size.allocate(8)));
  EXPECT_TRUE(by_size.owns(by_size.allocate(800)));
  EXPECT_FALSE(by_size.owns(&by_size));
}

TEST(synchronized, threads_share_one_resource) {
  mallard::synchronized<monotonic_resource> shared(1024);
  mallard_test::in_threads(4, [&] {
    mallard::typed::vector<int, mallard::synchronized<monotonic_resource>> by_type(&shared);
    std::pmr::vector<int> by_base(&shared);
    for (int i = 0; i < 2000; ++i) {
      by_type.push_back(i);
      by_base.push_back(i);
    }
    EXPECT_EQ(by_type.back(), 1999);
  });
  EXPECT_GT(shared.with([](monotonic_resource& r) { return r.stats().in_use_bytes; }),
            4 * 2 * 2000 * sizeof(int));
  shared.with([](monotonic_resource& r) { r.release(); });
}

// As std::pmr::new_delete_resource() of some libraries does.
struct rounds_without_a_look final : std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return std::pmr::new_delete_resource()->allocate((bytes + 15) / 16 * 16, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(p, (bytes + 15) / 16 * 16, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

TEST(synchronized, absurd_sizes_get_no_block) {
  mallard::synchronized<rounds_without_a_look> resource;
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 6, std::size_t{PTRDIFF_MAX} + 1}) {
    EXPECT_THROW((void)resource.allocate(bytes, 8), std::bad_alloc);
  }
  resource.deallocate(resource.allocate(100, 8), 100, 8);
}

TEST(synchronized, is_made_and_asked_as_the_resource_is) {
  test_resource upstream;
  mallard::synchronized<multipool_resource> pool(&upstream);
  EXPECT_EQ(pool.upstream_resource(), &upstream);
  void* const p = pool.try_allocate(100);
  ASSERT_NE(p, nullptr);
  pool.deallocate(p, 100);
}

TEST(failure_callback, is_asked_until_there_is_memory_or_it_says_no) {
  test_resource upstream;
  int calls = 0;
  mallard::failure_callback_resource memory(
      [&](std::size_t bytes, std::size_t alignment) {
        EXPECT_EQ(bytes, 100u);
        EXPECT_EQ(alignment, 8u);
        if (++calls == 2) upstream.never_fail();
        return calls <= 2;
      },
      &upstream);
  upstream.fail_after(0);
  void* const p = memory.allocate(100, 8);
  EXPECT_EQ(calls, 2);
  memory.deallocate(p, 100, 8);
  upstream.fail_after(0);
  EXPECT_THROW((void)memory.allocate(100, 8), mallard::test_exception);
  EXPECT_EQ(memory.try_allocate(100, 8), nullptr);
  upstream.never_fail();
}

TEST(mark_scope, frees_what_was_allocated_within) {
  monotonic_resource arena;
  (void)arena.allocate(100);
  const std::size_t before = arena.stats().in_use_bytes;
  {
    const mallard::mark_scope outer(arena);
    (void)arena.allocate(100'000);
    {
      const mallard::mark_scope inner(arena);
      (void)arena.allocate(10);
    }
    EXPECT_GT(arena.stats().in_use_bytes, 100'000u);
  }
  EXPECT_EQ(arena.stats().in_use_bytes, before);
}

TEST(scratch_scope, nested_scopes_use_one_arena_and_free_their_own) {
  mallard::scratch_scope outer;
  std::pmr::vector<int> kept(100, 7, &outer);
  const std::size_t before = outer.stats().in_use_bytes;
  {
    mallard::scratch_scope inner;
    const mallard::typed::vector<int, mallard::scratch_scope> gone(10'000, 1, &inner);
    EXPECT_GE(outer.stats().in_use_bytes, before + 40'000);
  }
  EXPECT_EQ(outer.stats().in_use_bytes, before);
  EXPECT_EQ(kept[99], 7);
  kept.push_back(8);  // the outer scope is the innermost one again
  EXPECT_EQ(kept.size(), 101u);
  outer.rewind();
  EXPECT_EQ(outer.stats().in_use_bytes, 0u);
}

TEST(scratch_scope, every_thread_has_its_own) {
  mallard::scratch_scope mine;
  void* const p = mine.allocate(16);
  std::thread([&] {
    mallard::scratch_scope theirs;
    EXPECT_NE(theirs.allocate(16), p);
    EXPECT_EQ(theirs.stats().in_use_bytes, 16u + mallard::detail::redzone_bytes);
  }).join();
  EXPECT_EQ(mine.stats().in_use_bytes, 16u + mallard::detail::redzone_bytes);
}

#if MALLARD_ASSERTIONS > 0
TEST(scratch_scope_death, an_outer_scope_does_not_allocate_while_there_is_an_inner_one) {
  mallard::scratch_scope outer;
  EXPECT_DEATH(
      {
        mallard::scratch_scope inner;
        (void)outer.allocate(16);
      },
      "inner scratch scope");
}
#endif

}  // namespace
