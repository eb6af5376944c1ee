#include "mallard/monotonic.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <new>
#include <type_traits>
#include <vector>

#include "mallard/checks/limit_resource.hpp"
#include "mallard/checks/test_resource.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/reserved.hpp"
#include "support/addresses.hpp"

namespace {

using mallard::monotonic_options;
using mallard::monotonic_resource;
using mallard::test_resource;

static_assert(std::is_nothrow_default_constructible_v<monotonic_resource>);
static_assert(!std::is_copy_constructible_v<monotonic_resource>);
static_assert(monotonic_resource::deallocate_is_noop);

// Behind every block of a chunk, in a sanitizer's build.
constexpr std::size_t gap = mallard::detail::redzone_bytes;

using mallard_test::bytes_of;

TEST(monotonic_resource, asks_for_nothing_before_the_first_request) {
  test_resource upstream;
  monotonic_resource arena(&upstream);
  EXPECT_EQ(arena.upstream_resource(), &upstream);
  EXPECT_EQ(arena.stats().reserved_bytes, 0u);
  EXPECT_EQ(upstream.counts().allocations, 0u);
}

// Rounded up, such a first chunk would have no byte.
TEST(monotonic_resource, a_first_chunk_larger_than_memory_is_refused) {
  test_resource upstream;
  for (const std::size_t too_much :
       {~std::size_t{0}, ~std::size_t{0} - 14, ~std::size_t{0} / 2 + 1}) {
    monotonic_resource by_size(too_much, &upstream);
    EXPECT_THROW(static_cast<void>(by_size.allocate(100)), std::bad_alloc);
    monotonic_resource by_options(monotonic_options{.initial_bytes = too_much}, &upstream);
    EXPECT_THROW(static_cast<void>(by_options.allocate(100)), std::bad_alloc);
  }
  EXPECT_EQ(upstream.counts().allocations, 0u);
}

TEST(monotonic_resource, takes_small_chunks_where_the_upstream_has_no_room_for_large_ones) {
  test_resource memory;
  mallard::limit_resource upstream({.bytes = 100'000}, &memory);
  {
    monotonic_resource arena(&upstream);
    std::size_t given = 0;
    try {
      for (;; given += 112) static_cast<void>(arena.allocate(112));
    } catch (const std::bad_alloc&) {
    }
    EXPECT_GT(given, 70'000u) << "of 100,000 bytes";
  }
  monotonic_resource large(std::size_t{1} << 20, &upstream);
  EXPECT_NE(large.allocate(8), nullptr);
}

TEST(monotonic_resource, places_blocks_one_behind_the_other) {
  monotonic_resource arena;
  std::byte* const a = bytes_of(arena.allocate(16, 8));
  EXPECT_EQ(arena.allocate(24, 8), a + 16 + gap);
  EXPECT_EQ(arena.allocate(0, 8), a + 40 + 2 * gap);
  EXPECT_EQ(arena.allocate(8, 8), a + 48 + 3 * gap);  // the empty block has a place of its own
}

TEST(monotonic_resource, chunks_grow_geometrically_up_to_the_limit) {
  test_resource upstream;
  monotonic_resource arena(monotonic_options{.initial_bytes = 1024, .max_chunk_bytes = 8192},
                           &upstream);
  std::size_t last = 0;
  for (int chunk = 0; chunk < 8; ++chunk) {
    const auto before = upstream.counts();
    while (upstream.counts().allocations == before.allocations) (void)arena.allocate(64);
    const auto size = upstream.counts().total_bytes - before.total_bytes;
    EXPECT_EQ(size, chunk == 0 ? 1024 : std::min<std::size_t>(2 * last, 8192));
    last = size;
  }
}

TEST(monotonic_resource, growth_starts_anew_after_release) {
  test_resource upstream;
  monotonic_resource arena(monotonic_options{.initial_bytes = 1024}, &upstream);
  for (int i = 0; i < 1000; ++i) (void)arena.allocate(100);
  arena.release();
  (void)arena.allocate(100);
  EXPECT_EQ(upstream.counts().in_use_bytes, 1024u);
}

TEST(monotonic_resource, an_oversize_block_gets_its_own_chunk_and_does_not_drive_growth) {
  test_resource upstream;
  monotonic_resource arena(&upstream);
  (void)arena.allocate(1);
  const auto before = upstream.counts();
  (void)arena.allocate(10 << 20);
  const auto oversize = upstream.counts().total_bytes - before.total_bytes;
  EXPECT_LE(oversize, (10u << 20) + 256);  // exact but for a header
  // The old chunk is still in use, and the next one has its usual size.
  const auto calls = upstream.counts().allocations;
  (void)arena.allocate(100);
  EXPECT_EQ(upstream.counts().allocations, calls);
  while (upstream.counts().allocations == calls) (void)arena.allocate(100);
  EXPECT_LE(upstream.counts().total_bytes - before.total_bytes - oversize, 16384u);
}

TEST(monotonic_resource, a_growing_vector_leaves_little_behind) {
  test_resource upstream;
  monotonic_resource arena(&upstream);
  std::pmr::vector<int> numbers(&arena);
  for (int i = 0; i < 1'000'000; ++i) numbers.push_back(i);
  const std::size_t needed_bytes = numbers.capacity() * sizeof(int);
  EXPECT_LE(upstream.counts().in_use_bytes, needed_bytes + (256u << 10));
  EXPECT_LE(arena.stats().in_use_bytes, needed_bytes + (256u << 10));
  // The last two of them were there together.
  EXPECT_GE(arena.stats().peak_bytes, needed_bytes * 3 / 2);
  for (int i = 0; i < 1'000'000; ++i) ASSERT_EQ(numbers[static_cast<std::size_t>(i)], i);
}

constexpr std::size_t large = std::size_t{40} << 10;

TEST(monotonic_resource, the_place_of_a_large_last_block_is_used_again) {
  monotonic_resource arena(monotonic_options{.initial_bytes = std::size_t{1} << 20});
  void* const below = arena.allocate(100);
  void* const block = arena.allocate(large);
  arena.deallocate(block, large);
  EXPECT_EQ(arena.allocate(large), block);
  EXPECT_NE(arena.allocate(large), below);
  arena.deallocate(block, large);  // not the last any more
  EXPECT_NE(arena.allocate(large), block);
}

// Containers may be destroyed after their memory was used again, and free what is another's then.
TEST(monotonic_resource, a_block_from_before_a_rewind_gives_nothing_back) {
  for (const bool own_chunk : {false, true}) {
    const std::size_t bytes = own_chunk ? std::size_t{1} << 20 : large;
    for (const auto& start_anew :
         {+[](monotonic_resource& arena) { arena.rewind(); },
          +[](monotonic_resource& arena) { arena.reset(std::size_t{1} << 19); },
          +[](monotonic_resource& arena) { arena.release(); }}) {
      test_resource upstream;
      monotonic_resource arena(monotonic_options{.initial_bytes = std::size_t{1} << 19}, &upstream);
      void* const before = arena.allocate(bytes);
      start_anew(arena);
      void* const now = arena.allocate(bytes);
      const auto held = upstream.counts().in_use_bytes;
      arena.deallocate(before, bytes);
      arena.deallocate(now, bytes);
      EXPECT_EQ(upstream.counts().in_use_bytes, held);
      EXPECT_NE(arena.allocate(bytes), now);
    }
  }
}

TEST(monotonic_resource, a_mark_finds_its_chunk_again_whatever_was_freed) {
  test_resource upstream;
  monotonic_resource arena(&upstream);
  (void)arena.allocate(100);
  void* const older = arena.allocate(std::size_t{1} << 20);
  void* const marked = arena.allocate(std::size_t{1} << 20);
  const auto mark = arena.mark();
  void* const newer = arena.allocate(std::size_t{1} << 20);
  const auto held = upstream.counts().in_use_bytes;
  arena.deallocate(older, std::size_t{1} << 20);
  arena.deallocate(marked, std::size_t{1} << 20);
  EXPECT_EQ(upstream.counts().in_use_bytes, held);
  arena.deallocate(newer, std::size_t{1} << 20);
  EXPECT_LT(upstream.counts().in_use_bytes, held);
  const auto in_use = arena.stats().in_use_bytes;
  (void)arena.allocate(std::size_t{1} << 20);
  arena.rewind(mark);
  EXPECT_EQ(arena.stats().in_use_bytes, in_use);
}

TEST(monotonic_resource, a_large_block_that_shares_its_chunk_stays) {
  test_resource upstream;
  monotonic_resource arena(monotonic_options{.initial_bytes = std::size_t{1} << 20}, &upstream);
  void* const block = arena.allocate(large);
  std::byte* const behind = bytes_of(arena.allocate(100));
  std::memset(behind, 7, 100);
  const auto in_use = arena.stats().in_use_bytes;
  arena.deallocate(block, large);
  EXPECT_EQ(arena.stats().in_use_bytes, in_use);
  while (upstream.counts().allocations == 1) (void)arena.allocate(5000);
  arena.deallocate(block, large);
  EXPECT_EQ(upstream.counts().deallocations, 0u);
  EXPECT_EQ(behind[99], std::byte{7});
}

// So a compiler can leave out the walk over strings that die with their arena.
TEST(monotonic_resource, a_large_block_of_alignment_1_stays) {
  monotonic_resource arena;
  for (const std::size_t alignment : {std::size_t{1}, std::size_t{2}}) {
    void* const block = arena.allocate(large, alignment);
    const auto in_use = arena.stats().in_use_bytes;
    arena.deallocate(block, large, alignment);
    EXPECT_EQ(arena.stats().in_use_bytes == in_use, alignment == 1) << alignment;
  }
}

TEST(monotonic_resource, uses_the_callers_buffer_first_and_tells_when_it_did_not_do) {
  alignas(16) std::byte buffer[256];
  test_resource upstream;
  monotonic_resource arena(buffer, sizeof buffer, &upstream);
  for (int i = 0; i < 16; ++i) {
    std::byte* const p = bytes_of(arena.allocate(16));
    EXPECT_GE(p, buffer);
    EXPECT_LE(p + 16, buffer + sizeof buffer);
  }
  EXPECT_EQ(upstream.counts().allocations, 0u);
  EXPECT_EQ(arena.stats().overflowed, 0u);
  (void)arena.allocate(16);
  EXPECT_EQ(upstream.counts().allocations, 1u);
  EXPECT_EQ(arena.stats().overflowed, 1u);
  arena.release();
  EXPECT_EQ(arena.allocate(16), buffer);
}

TEST(monotonic_resource, copes_with_buffers_that_are_small_odd_and_misaligned) {
  alignas(64) std::byte memory[128];
  for (std::size_t offset = 0; offset < 17; ++offset) {
    for (std::size_t bytes = 0; bytes < 60; ++bytes) {
      test_resource upstream;
      monotonic_resource arena(memory + offset, bytes, &upstream);
      for (int i = 0; i < 5; ++i) {
        std::byte* const p = bytes_of(arena.allocate(8, 8));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 8, 0u);
        const bool inside = p >= memory && p < memory + sizeof memory;
        if (inside) {
          EXPECT_GE(p, memory + offset);
          EXPECT_LE(p + 8, memory + offset + bytes);
        }
        std::memset(p, 0x5A, 8);
      }
    }
  }
}

// An end that is not aligned like a chunk's would be passed by a block that is.
TEST(monotonic_resource, writes_nothing_outside_a_buffer_of_any_size_place_and_alignment) {
  alignas(64) std::byte memory[192];
  for (std::size_t offset = 0; offset < 32; ++offset) {
    for (std::size_t bytes = 0; bytes < 48; ++bytes) {
      for (std::size_t alignment = 1; alignment <= 64; alignment *= 2) {
        test_resource upstream;
        monotonic_resource arena(memory + 64 + offset, bytes, &upstream);
        for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{16}}) {
          std::byte* const p = bytes_of(arena.allocate(size, alignment));
          ASSERT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0u);
          if (p < memory || p >= memory + sizeof memory) continue;
          ASSERT_GE(p, memory + 64 + offset);
          ASSERT_LE(p + size, memory + 64 + offset + bytes);
        }
        arena.release();
        EXPECT_EQ(arena.stats().in_use_bytes, 0u);
      }
    }
  }
}

TEST(monotonic_resource, the_last_block_grows_in_place) {
  test_resource upstream;
  monotonic_resource arena(&upstream);
  void* const p = arena.allocate(16, 8);
  ASSERT_EQ(arena.try_expand(p, 16, 104), 104u);
  EXPECT_EQ(arena.allocate(8, 8), bytes_of(p) + 104 + gap);
}

TEST(monotonic_resource, growth_takes_what_is_preferred_if_there_is_room_and_the_minimum_if_not) {
  monotonic_resource arena(monotonic_options{.initial_bytes = 1024});
  void* const p = arena.allocate(16, 8);
  EXPECT_EQ(arena.try_expand(p, 16, 24, 104), 104u);
  EXPECT_EQ(arena.try_expand(p, 104, 112, 4096), 112u);
  EXPECT_EQ(arena.try_expand(p, 112, 0, 0), 112u);
}

TEST(monotonic_resource, a_block_that_is_not_the_last_does_not_grow) {
  monotonic_resource arena;
  void* const p = arena.allocate(16, 8);
  (void)arena.allocate(8, 8);
  EXPECT_EQ(arena.try_expand(p, 16, 24), 0u);
  EXPECT_EQ(arena.try_expand(p, 16, 16), 16u);
}

TEST(monotonic_resource, the_last_block_does_not_grow_beyond_its_chunk) {
  monotonic_resource arena(monotonic_options{.initial_bytes = 1024});
  void* const p = arena.allocate(16, 8);
  for (const std::size_t bytes : {std::size_t{1} << 20, ~std::size_t{0}, ~std::size_t{0} - 6}) {
    EXPECT_EQ(arena.try_expand(p, 16, bytes), 0u);
  }
  EXPECT_EQ(arena.allocate(8, 8), bytes_of(p) + 16 + gap);  // nothing has changed
}

TEST(monotonic_resource, shrinking_the_last_block_gives_its_end_back) {
  monotonic_resource arena;
  void* const p = arena.allocate(96, 8);
  EXPECT_EQ(arena.shrink(p, 96, 32), 32u);
  EXPECT_EQ(arena.allocate(8, 8), bytes_of(p) + 32 + gap);
  EXPECT_EQ(arena.shrink(p, 32, 8), 0u);  // not the last any more: nothing happens
  EXPECT_EQ(arena.shrink(p, 32, 32, 8), 32u);
  EXPECT_EQ(arena.allocate(8, 8), bytes_of(p) + 40 + 2 * gap);
  void* const last = arena.allocate(32, 8);
  EXPECT_EQ(arena.shrink(last, 32, 0), 0u);  // no block is so small
  EXPECT_EQ(arena.shrink(last, 32, 32, 0), 1u);
  EXPECT_NE(arena.allocate(1, 1), last);
}

template <class Arena>
void keep_what_lies_before_a_mark(Arena& arena) {
  void* const before = arena.allocate(1000, 8);
  const auto older = arena.mark();
  const std::size_t in_use = arena.stats().in_use_bytes;
  EXPECT_EQ(arena.shrink(before, 1000, 100), 0u);
  EXPECT_EQ(arena.shrink(before, 1000, 1000, 100), 1000u);
  const auto newer = arena.mark();
  void* const since = arena.allocate(1000, 8);
  EXPECT_EQ(arena.shrink(since, 1000, 100), 100u);
  arena.rewind(newer);
  EXPECT_EQ(arena.shrink(before, 1000, 100), 0u);  // both marks are still there
  arena.rewind(older);
  EXPECT_EQ(arena.stats().in_use_bytes, in_use);
  arena.reset(1'000'000);
  void* const last = arena.allocate(1000, 8);
  EXPECT_EQ(arena.shrink(last, 1000, 100), 100u);
}

TEST(monotonic_resource, a_block_from_before_a_mark_does_not_shrink) {
  monotonic_resource chunks;
  keep_what_lies_before_a_mark(chunks);
  mallard::reserved_resource range;
  keep_what_lies_before_a_mark(range);
}

TEST(monotonic_resource, a_mark_in_an_earlier_chunk_is_found_again) {
  test_resource upstream;
  monotonic_resource arena(monotonic_options{.initial_bytes = 512}, &upstream);
  (void)arena.allocate(100);
  const auto mark = arena.mark();
  void* const first = arena.allocate(50, 1);
  for (int i = 0; i < 100; ++i) (void)arena.allocate(500);
  const auto calls = upstream.counts().allocations;
  arena.rewind(mark);
  EXPECT_EQ(arena.allocate(50, 1), first);
  for (int i = 0; i < 100; ++i) (void)arena.allocate(500);
  EXPECT_EQ(upstream.counts().allocations, calls);  // the chunks were kept
}

TEST(monotonic_resource, a_mark_of_an_empty_arena_rewinds_to_the_start) {
  monotonic_resource arena;
  const auto mark = arena.mark();
  void* const first = arena.allocate(100);
  (void)arena.allocate(100000);
  arena.rewind(mark);
  EXPECT_EQ(arena.stats().in_use_bytes, 0u);
  EXPECT_EQ(arena.allocate(100), first);
}

TEST(monotonic_resource, a_mark_between_oversize_blocks_keeps_the_earlier_one) {
  test_resource upstream;
  monotonic_resource arena(&upstream);
  auto* const kept = bytes_of(arena.allocate(1 << 20));
  std::memset(kept, 1, 1 << 20);
  const auto mark = arena.mark();
  (void)arena.allocate(2 << 20);
  arena.rewind(mark);
  upstream.verify();
  EXPECT_EQ(kept[(1 << 20) - 1], std::byte{1});
  std::memset(kept, 2, 1 << 20);  // still ours
}

TEST(monotonic_resource, the_peak_is_that_before_a_block_shrank) {
  monotonic_resource arena;
  void* const p = arena.allocate(3'000, 8);
  ASSERT_EQ(arena.shrink(p, 3'000, 100), 100U);
  EXPECT_GE(arena.stats().peak_bytes, 3'000U);
}

TEST(monotonic_resource, stats_tell_used_peak_and_reserved) {
  test_resource upstream;
  monotonic_resource arena(&upstream);
  (void)arena.allocate(1000, 8);
  (void)arena.allocate(504, 8);
  EXPECT_EQ(arena.stats().in_use_bytes, 1504u + 2 * gap);
  EXPECT_EQ(arena.stats().peak_bytes, 1504u + 2 * gap);
  EXPECT_EQ(arena.stats().reserved_bytes, upstream.counts().in_use_bytes);
  EXPECT_EQ(arena.stats().chunks, upstream.counts().in_use_blocks);
  arena.rewind();
  EXPECT_EQ(arena.stats().in_use_bytes, 0u);
  EXPECT_EQ(arena.stats().peak_bytes, 1504u + 2 * gap);
  (void)arena.allocate(10, 8);
  EXPECT_EQ(arena.stats().peak_bytes, 1504u + 2 * gap);
  arena.release();
  EXPECT_EQ(arena.stats().reserved_bytes, 0u);
  EXPECT_EQ(arena.stats().chunks, 0u);
  EXPECT_EQ(arena.stats().peak_bytes, 1504u + 2 * gap);
}

TEST(monotonic_resource, used_bytes_cover_every_chunk_and_the_buffer) {
  alignas(16) std::byte buffer[256];
  test_resource upstream;
  monotonic_resource arena(buffer, sizeof buffer, &upstream);
  for (int i = 0; i < 1000; ++i) (void)arena.allocate(96, 8);
  EXPECT_GT(arena.stats().chunks, 3u);
  EXPECT_GE(arena.stats().in_use_bytes, 1000 * 96u);
  EXPECT_LT(arena.stats().in_use_bytes, 1000 * (96u + gap) + 112 * arena.stats().chunks);
}

TEST(monotonic_resource, reset_keeps_as_much_as_it_is_told) {
  test_resource upstream;
  monotonic_resource arena(monotonic_options{.initial_bytes = 1024}, &upstream);
  for (int i = 0; i < 1000; ++i) (void)arena.allocate(100);
  const std::size_t held = upstream.counts().in_use_bytes;
  arena.reset(held);
  EXPECT_EQ(upstream.counts().in_use_bytes, held);
  arena.reset(held / 2);
  EXPECT_LE(upstream.counts().in_use_bytes, held / 2);
  EXPECT_GT(upstream.counts().in_use_bytes, 0u);
  arena.reset(0);
  EXPECT_EQ(upstream.counts().in_use_bytes, 0u);
}

TEST(monotonic_resource, a_failed_request_changes_nothing) {
  test_resource upstream;
  monotonic_resource arena(&upstream);
  void* const p = arena.allocate(16, 8);
  const auto before = arena.stats();
  upstream.fail_at(0);
  EXPECT_THROW((void)arena.allocate(1 << 20), mallard::test_exception);
  EXPECT_EQ(arena.stats().in_use_bytes, before.in_use_bytes);
  EXPECT_EQ(arena.stats().chunks, before.chunks);
  EXPECT_EQ(arena.allocate(8, 8), bytes_of(p) + 16 + gap);
}

}  // namespace
