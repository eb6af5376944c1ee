// Broken preconditions end a debug build at once, and misuse of memory ends a build with
// AddressSanitizer: at the place of the mistake, not some time later.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <memory_resource>
#include <new>
#include <vector>

#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/os/pages.hpp"
#include "mallard/mallard.hpp"

#ifdef MALLARD_ASAN
#include <sanitizer/lsan_interface.h>
#endif

namespace {

using mallard::adaptive_pool_resource;
using mallard::buffered_resource;
using mallard::monotonic_resource;
using mallard::multipool_resource;
using mallard::reserved_resource;

template <class Resource>
class every_resource : public testing::Test {};
using resources = testing::Types<monotonic_resource, buffered_resource<1024>, reserved_resource,
                                 multipool_resource, adaptive_pool_resource>;
TYPED_TEST_SUITE(every_resource, resources);

template <class Resource>
class every_pool : public testing::Test {};
using pools = testing::Types<multipool_resource, adaptive_pool_resource>;
TYPED_TEST_SUITE(every_pool, pools);

template <class Resource>
class every_pool_and_heap : public testing::Test {};
using pools_and_heaps =
    testing::Types<multipool_resource, adaptive_pool_resource, mallard::heap_resource,
                   mallard::synchronized_multipool_resource, mallard::synchronized_heap_resource>;
TYPED_TEST_SUITE(every_pool_and_heap, pools_and_heaps);

#if MALLARD_ASSERTIONS == 2

TYPED_TEST(every_resource, asserts_that_alignments_are_powers_of_two) {
  EXPECT_DEATH(
      {
        TypeParam resource;
        (void)resource.allocate(8, 24);
      },
      "is_power_of_two");
}

TYPED_TEST(every_pool, asserts_that_a_block_is_given_back_once) {
  EXPECT_DEATH(
      {
        TypeParam pool;
        void* const p = pool.allocate(24, 8);
        pool.deallocate(pool.allocate(24, 8), 24, 8);
        pool.deallocate(p, 24, 8);
        pool.deallocate(p, 24, 8);
      },
      "given back twice");
}

// The last block given back may be kept apart, and must be recognised all the same.
TYPED_TEST(every_pool, asserts_it_for_the_block_given_back_last_too) {
  EXPECT_DEATH(
      {
        TypeParam pool;
        void* const p = pool.allocate(24, 8);
        pool.deallocate(p, 24, 8);
        pool.deallocate(p, 24, 8);
      },
      "given back twice");
}

// Blocks that a pool is given and that are not its own, whatever lies before them.
TYPED_TEST(every_pool_and_heap, asserts_that_a_block_is_its_own) {
  for (const std::size_t bytes : {std::size_t{24}, std::size_t{3000}, std::size_t{100'000}}) {
    EXPECT_DEATH(
        {
          TypeParam one;
          TypeParam other;
          static_cast<void>(other.allocate(bytes, 8));
          void* const p = one.allocate(bytes, 8);
          other.deallocate(p, bytes, 8);
        },
        "of another resource");
    EXPECT_DEATH(
        {
          TypeParam pool;
          static_cast<void>(pool.allocate(bytes, 8));
          auto* const page = static_cast<std::byte*>(
              mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
          pool.deallocate(page + 64, bytes, 8);
        },
        "of another resource");
  }
}

// Every block is a mapping of its own, which is no memory any more once it was given back.
class mapping_upstream final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const p = mallard::detail::os::map(bytes, alignment, false);
    if (p == nullptr) throw std::bad_alloc();
    return p;
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t) override {
    mallard::detail::os::unmap(p, bytes);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

// An address known to be a slab's is not believed to be one for ever.
TYPED_TEST(every_pool_and_heap, asserts_it_where_a_slab_was_once) {
  EXPECT_DEATH(
      {
        mapping_upstream upstream;
        TypeParam pool(&upstream);
        std::vector<void*> blocks(40);
        for (void*& p : blocks) p = pool.allocate(3000, 8);
        for (void* const p : blocks) pool.deallocate(p, 3000, 8);
        for (void*& p : blocks) p = pool.allocate(3000, 8);
        for (void* const p : blocks) pool.deallocate(p, 3000, 8);
        pool.trim();
        pool.deallocate(blocks.back(), 3000, 8);
      },
      "of another resource");
}

template <class Heap>
class every_checked_heap : public testing::Test {};
using checked_heaps = testing::Types<mallard::heap_resource, mallard::synchronized_heap_resource>;
TYPED_TEST_SUITE(every_checked_heap, checked_heaps);

TYPED_TEST(every_checked_heap, asserts_that_what_grows_is_its_own_expandable_block) {
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{100'000}}) {
    const auto expect_death_of = [&](auto&& call) {
      EXPECT_DEATH(
          {
            TypeParam one;
            TypeParam other;
            static_cast<void>(other.allocate_at_least(bytes));
            call(other, one.allocate_at_least(bytes).p);
          },
          "not an expandable block of this resource");
    };
    expect_death_of([&](TypeParam& heap, void* p) { heap.try_expand(p, bytes, bytes * 2); });
    expect_death_of([&](TypeParam& heap, void* p) { heap.shrink(p, bytes, bytes, 8); });
    expect_death_of([&](TypeParam& heap, void* p) { heap.remap(p, bytes, bytes * 2); });
  }
}

template <class Pool>
class every_pool_of_many_sizes : public testing::Test {};
using pools_of_many_sizes =
    testing::Types<multipool_resource, mallard::heap_resource,
                   mallard::synchronized_multipool_resource, mallard::synchronized_heap_resource>;
TYPED_TEST_SUITE(every_pool_of_many_sizes, pools_of_many_sizes);

TYPED_TEST(every_pool_of_many_sizes, asserts_that_a_size_is_the_one_allocated) {
  constexpr std::array<std::size_t, 6> sizes{24, 40, 300, 3000, 30'000, 100'000};
  for (const std::size_t right : sizes) {
    for (const std::size_t wrong : sizes) {
      if (right == wrong) continue;
      EXPECT_DEATH(
          {
            TypeParam pool;
            static_cast<void>(pool.allocate(wrong, 8));
            pool.deallocate(pool.allocate(right, 8), wrong, 8);
          },
          "of another size");
    }
  }
}

template <class Resource>
class every_marked_resource : public testing::Test {};
using marked_resources =
    testing::Types<monotonic_resource, buffered_resource<1024>, reserved_resource>;
TYPED_TEST_SUITE(every_marked_resource, marked_resources);

TYPED_TEST(every_marked_resource, asserts_that_a_mark_is_its_own) {
  EXPECT_DEATH(
      {
        TypeParam one;
        TypeParam other;
        static_cast<void>(one.allocate(100));
        static_cast<void>(other.allocate(100));
        other.rewind(one.mark());
      },
      "a mark of another resource");
}

TYPED_TEST(every_marked_resource, asserts_that_a_mark_has_not_ended) {
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{5000}, std::size_t{500'000}}) {
    const auto expect_death_after = [&](auto&& end) {
      EXPECT_DEATH(
          {
            TypeParam resource;
            const auto before = resource.mark();
            static_cast<void>(resource.allocate(bytes));
            const auto stale = resource.mark();
            end(resource, before);
            for (int i = 0; i < 3; ++i) static_cast<void>(resource.allocate(bytes));
            resource.rewind(stale);
          },
          "a mark that has ended");
    };
    expect_death_after([](auto& resource, const auto& before) { resource.rewind(before); });
    expect_death_after([](auto& resource, const auto&) { resource.rewind(); });
    expect_death_after([](auto& resource, const auto&) { resource.reset(4096); });
    expect_death_after([](auto& resource, const auto&) { resource.release(); });
  }
}

TYPED_TEST(every_marked_resource, takes_marks_that_have_not_ended_again_and_again) {
  TypeParam resource;
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{5000}, std::size_t{500'000}}) {
    const auto outer = resource.mark();
    static_cast<void>(resource.allocate(bytes));
    for (int i = 0; i < 3; ++i) {
      const auto middle = resource.mark();
      for (int k = 0; k < 3; ++k) {
        static_cast<void>(resource.allocate(bytes));
        const auto inner = resource.mark();
        static_cast<void>(resource.allocate(bytes * 2));
        resource.rewind(inner);
        resource.rewind(inner);
        resource.rewind(middle);
      }
      resource.rewind(middle);
    }
    resource.rewind(outer);
    resource.rewind(outer);
  }
}

#endif

#ifdef MALLARD_ASAN

volatile char* volatile_bytes_of(void* p) {
  return static_cast<volatile char*>(p);
}

TYPED_TEST(every_resource, use_after_release_is_reported) {
  TypeParam resource;
  volatile char* const p = volatile_bytes_of(resource.allocate(100, 8));
  p[0] = 'x';
  resource.release();
  EXPECT_DEATH(p[0] = 'x', "AddressSanitizer|SEGV");
}

// Free memory of that size is kept as a mapping, with a record in it.
TYPED_TEST(every_resource, the_first_byte_of_a_large_block_is_marked_after_release) {
  TypeParam resource;
  void* const p = resource.allocate(300'000, 1);
  resource.release();
  EXPECT_DEATH(*volatile_bytes_of(p) = 'x', "AddressSanitizer|SEGV");
}

TYPED_TEST(every_resource, a_byte_behind_an_odd_block_is_reported) {
  TypeParam resource;
  volatile char* const p = volatile_bytes_of(resource.allocate(21, 8));
  p[20] = 'x';
  EXPECT_DEATH(p[21] = 'x', "use-after-poison");
}

// All of the block is its user's, and nothing of the eight bytes behind it.
testing::AssertionResult ends_in_a_redzone(void* p, std::size_t bytes) {
  if (const void* const q = __asan_region_is_poisoned(p, bytes)) {
    return testing::AssertionFailure() << "of " << bytes << " bytes not all may be used: " << q;
  }
  for (std::size_t i = 0; i < 8; ++i) {
    if (!__asan_address_is_poisoned(static_cast<char*>(p) + bytes + i)) {
      return testing::AssertionFailure() << "byte " << i << " behind " << bytes << " is not marked";
    }
  }
  return testing::AssertionSuccess();
}

constexpr std::size_t sizes[] = {1,   7,    8,    16,     21,     24,     32,       64,
                                 100, 1024, 4096, 32'760, 32'768, 40'000, 1'000'000};

template <class Resource>
void expect_redzones(Resource& resource) {
  for (const std::size_t alignment : {std::size_t{8}, std::size_t{16}, std::size_t{256}}) {
    for (const std::size_t bytes : sizes) {
      std::array<void*, 3> blocks{};
      for (void*& p : blocks) p = resource.allocate(bytes, alignment);
      for (void* const p : blocks) EXPECT_TRUE(ends_in_a_redzone(p, bytes));
      resource.deallocate(blocks[1], bytes, alignment);
      EXPECT_TRUE(ends_in_a_redzone(blocks[0], bytes));
      EXPECT_TRUE(ends_in_a_redzone(blocks[2], bytes));
      resource.deallocate(blocks[0], bytes, alignment);
      EXPECT_TRUE(ends_in_a_redzone(blocks[2], bytes));
      resource.deallocate(blocks[2], bytes, alignment);
    }
  }
}

// Also one that grew, and one that shrank.
template <class Arena>
void expect_redzones_of(Arena& arena) {
  for (const std::size_t alignment : {std::size_t{1}, std::size_t{16}, std::size_t{256}}) {
    for (const std::size_t bytes : sizes) {
      void* const first = arena.allocate(bytes, alignment);
      EXPECT_TRUE(ends_in_a_redzone(first, bytes));
      void* const second = arena.allocate(bytes, alignment);
      EXPECT_TRUE(ends_in_a_redzone(first, bytes));
      EXPECT_TRUE(ends_in_a_redzone(second, bytes));
      if (arena.try_expand(second, bytes, bytes + 20) != 0) {
        EXPECT_TRUE(ends_in_a_redzone(second, bytes + 20));
        EXPECT_EQ(arena.shrink(second, bytes + 20, bytes), bytes);
      }
      const auto mark = arena.mark();
      static_cast<void>(arena.allocate(bytes, alignment));
      EXPECT_TRUE(ends_in_a_redzone(second, bytes));
      arena.rewind(mark);
      EXPECT_TRUE(ends_in_a_redzone(second, bytes));
    }
  }
}

TEST(arenas, blocks_end_in_a_redzone) {
  monotonic_resource monotonic;
  expect_redzones_of(monotonic);
  reserved_resource reserved;
  expect_redzones_of(reserved);
}

// The caller has counted what it needs.
TEST(arenas, what_fits_into_a_buffer_or_a_reservation_fits_with_a_sanitizer_too) {
  alignas(16) std::array<std::byte, 64> buffer;
  monotonic_resource arena(buffer.data(), buffer.size(), std::pmr::null_memory_resource());
  for (int i = 0; i < 4; ++i) EXPECT_NE(arena.try_allocate(16), nullptr);
  reserved_resource reserved(mallard::reserved_options{.reserve_bytes = 4096});
  for (int i = 0; i < 256; ++i) EXPECT_NE(reserved.try_allocate(16), nullptr);
}

TYPED_TEST(every_pool_and_heap, every_block_ends_in_a_redzone) {
  TypeParam resource;
  expect_redzones(resource);
}

TYPED_TEST(every_pool_and_heap, so_does_each_block_of_a_burst) {
  TypeParam resource;
  if constexpr (requires { resource.allocate_many(10, 24); }) {
    mallard::block_chain chain = resource.allocate_many(100, 24);
    while (!chain.empty()) {
      void* const p = chain.pop_front();
      EXPECT_TRUE(ends_in_a_redzone(p, 24));
      resource.deallocate(p, 24);
    }
  }
}

TYPED_TEST(every_pool_and_heap, eight_bytes_behind_a_block_are_reported) {
  TypeParam resource;
  volatile char* const p = volatile_bytes_of(resource.allocate(24, 8));
  static_cast<void>(resource.allocate(24, 8));
  EXPECT_DEATH(p[24] = 'x', "use-after-poison");
  EXPECT_DEATH(p[31] = 'x', "use-after-poison");
}

TYPED_TEST(every_pool, use_after_deallocate_is_reported) {
  TypeParam pool;
  volatile char* const p = volatile_bytes_of(pool.allocate(24, 8));
  (void)pool.allocate(24, 8);
  pool.deallocate(const_cast<char*>(p), 24, 8);
  EXPECT_DEATH(p[0] = 'x', "use-after-poison");
}

template <class Resource>
class every_bump_resource : public testing::Test {};
using bump_resources =
    testing::Types<monotonic_resource, buffered_resource<1024>, reserved_resource>;
TYPED_TEST_SUITE(every_bump_resource, bump_resources);

TYPED_TEST(every_bump_resource, use_after_rewind_is_reported) {
  TypeParam resource;
  (void)resource.allocate(8, 8);
  const auto mark = resource.mark();
  volatile char* const p = volatile_bytes_of(resource.allocate(100, 8));
  p[0] = 'x';
  resource.rewind(mark);
  EXPECT_DEATH(p[0] = 'x', "use-after-poison");
}

TYPED_TEST(every_bump_resource, use_of_the_end_given_back_by_shrink_is_reported) {
  TypeParam resource;
  volatile char* const p = volatile_bytes_of(resource.allocate(100, 8));
  resource.shrink(const_cast<char*>(p), 100, 40);
  p[39] = 'x';
  EXPECT_DEATH(p[40] = 'x', "use-after-poison");
}

TYPED_TEST(every_bump_resource, use_after_deallocate_is_reported) {
  TypeParam resource;
  volatile char* const p = volatile_bytes_of(resource.allocate(100, 8));
  static_cast<void>(resource.allocate(100, 8));
  static_cast<std::pmr::memory_resource&>(resource).deallocate(const_cast<char*>(p), 100, 8);
  EXPECT_DEATH(p[0] = 'x', "use-after-poison");
  EXPECT_DEATH(p[99] = 'x', "use-after-poison");
}

template <class Heap>
class every_heap : public testing::Test {};
using heaps = testing::Types<mallard::heap_resource, mallard::synchronized_heap_resource>;
TYPED_TEST_SUITE(every_heap, heaps);

TYPED_TEST(every_heap, expandable_blocks_end_in_a_redzone_whatever_their_size) {
  for (const std::size_t bytes : sizes) {
    TypeParam heap;
    const auto [p, now] = heap.allocate_at_least(bytes);
    const auto behind = heap.allocate_at_least(bytes);
    EXPECT_TRUE(ends_in_a_redzone(p, now));
    heap.deallocate_expandable(behind.p);
    const std::size_t larger = heap.try_expand(p, now, now + 1, 2 * now);
    EXPECT_TRUE(ends_in_a_redzone(p, larger != 0 ? larger : now));
    const std::size_t less = heap.shrink(p, larger != 0 ? larger : now, bytes + 64, bytes);
    if (less != 0) {
      EXPECT_TRUE(ends_in_a_redzone(p, less));
    }
    const auto moved = heap.remap(p, bytes, 5 * bytes);
    EXPECT_TRUE(ends_in_a_redzone(moved.p, moved.bytes));
    heap.deallocate_expandable(moved.p);
  }
}

TYPED_TEST(every_heap, a_block_that_grew_to_the_front_keeps_its_redzone) {
  TypeParam heap;
  const auto first = heap.allocate_at_least(1000);
  const auto front = heap.allocate_at_least(1000);
  const auto block = heap.allocate_at_least(1000);
  heap.deallocate_expandable(front.p);
  const auto now = heap.try_expand_backward(block.p, block.bytes, 1500, 1500, 16);
  ASSERT_NE(now.p, nullptr);
  EXPECT_TRUE(ends_in_a_redzone(now.p, now.bytes));
  EXPECT_TRUE(ends_in_a_redzone(first.p, first.bytes));
}

TYPED_TEST(every_heap, use_of_an_expandable_block_after_release_is_reported) {
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{100'000}, std::size_t{3} << 20}) {
    TypeParam heap;
    volatile char* const p = volatile_bytes_of(heap.allocate_at_least(bytes).p);
    p[0] = 'x';
    p[bytes - 1] = 'x';
    heap.release();
    EXPECT_DEATH(p[0] = 'x', "use-after-poison|SEGV");
    EXPECT_DEATH(p[bytes - 1] = 'x', "use-after-poison|SEGV");
  }
}

TYPED_TEST(every_heap, use_of_an_expandable_block_given_back_is_reported) {
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{100'000}, std::size_t{3} << 20}) {
    TypeParam heap;
    volatile char* const p = volatile_bytes_of(heap.allocate_at_least(bytes).p);
    heap.deallocate_expandable(const_cast<char*>(p));
    EXPECT_DEATH(p[bytes / 2] = 'x', "use-after-poison|SEGV");
  }
}

// LeakSanitizer finds what is reachable through the resources alone, as programs have it.
template <class Resource>
[[gnu::noinline]] void hide_blocks_of_malloc(Resource& resource, char**& first) {
  for (int i = 0; i < 100; ++i) {
    auto** const cell = static_cast<char**>(resource.allocate(2 * sizeof(char*), alignof(char*)));
    cell[0] = reinterpret_cast<char*>(first);
    cell[1] = new char[50];
    first = cell;
  }
}

TYPED_TEST(every_resource, what_only_its_blocks_point_to_is_no_leak) {
  TypeParam resource;
  char** first = nullptr;
  hide_blocks_of_malloc(resource, first);
  EXPECT_EQ(__lsan_do_recoverable_leak_check(), 0);
  for (char** cell = first; cell != nullptr; cell = reinterpret_cast<char**>(cell[0])) {
    delete[] cell[1];
  }
}

#endif

}  // namespace
