#include "mallard/heap.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <sys/mman.h>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "mallard/checks/test_resource.hpp"
#include "mallard/detail/resources/address_ranges.hpp"
#include "mallard/synchronized_heap.hpp"
#include "resources/heap_program.hpp"
#include "support/expect_passed.hpp"
#include "support/footprint.hpp"
#include "support/instrumented.hpp"
#include "support/require.hpp"
#include "support/seeds.hpp"
#include "support/units.hpp"

namespace {

using mallard::block_chain;
using mallard::heap_resource;
using mallard::sized_block;
using mallard_test::run_heap_program;

using mallard_test::kib;
using mallard_test::mib;
using mallard_test::page_faults;
using mallard_test::resident_bytes;

TEST(heap, an_array_alone_grows_where_it_is) {
  heap_resource heap;
  sized_block block = heap.allocate_at_least(16);
  void* const where = block.p;
  const std::size_t most = mallard::detail::standard_range_bytes / 2;
  while (block.bytes < most) {
    const std::size_t now = heap.try_expand(where, block.bytes, block.bytes + 1, block.bytes * 2);
    ASSERT_GT(now, block.bytes);
    block.bytes = now;
  }
  const auto stats = heap.stats();
  EXPECT_EQ(stats.expansions_done, stats.expansions_tried);
  heap.deallocate_expandable(where);
}

TEST(heap, large_arrays_among_many_others_grow_where_they_are) {
  heap_resource heap;
  std::vector<sized_block> arrays(100);
  for (sized_block& a : arrays) a = heap.allocate_at_least(64 * kib);
  const auto before = heap.stats();
  for (int round = 0; round < 4; ++round) {
    for (sized_block& a : arrays) {
      const std::size_t wanted = a.bytes * 3 / 2;
      const std::size_t now = heap.try_expand(a.p, a.bytes, wanted, wanted);
      if (now != 0) a.bytes = now;
    }
  }
  const auto after = heap.stats();
  const auto tried = after.expansions_tried - before.expansions_tried;
  EXPECT_GE((after.expansions_done - before.expansions_done) * 10, tried * 9);
  for (const sized_block& a : arrays) heap.deallocate_expandable(a.p);
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

TEST(heap, what_does_not_fit_fails_and_changes_nothing) {
  heap_resource heap;
  const sized_block a = heap.allocate_at_least(100);
  const sized_block b = heap.allocate_at_least(100);
  const auto before = heap.stats();
  EXPECT_EQ(heap.try_expand(a.p, a.bytes, mib, mib), 0u);
  EXPECT_EQ(heap.try_expand(b.p, b.bytes, ~std::size_t{0}, ~std::size_t{0}), 0u);
  EXPECT_EQ(heap.try_expand_backward(a.p, a.bytes, mib, mib, 8).p, nullptr);
  EXPECT_EQ(heap.try_allocate_expandable(~std::size_t{0} / 2, 0).p, nullptr);
  EXPECT_EQ(heap.try_allocate(~std::size_t{0} / 2), nullptr);
  EXPECT_EQ(heap.shrink(a.p, a.bytes, 8, 8), 0u);
  EXPECT_EQ(heap.stats().in_use_bytes, before.in_use_bytes);
}

TEST(heap, shrinking_tells_what_it_will_do) {
  heap_resource heap;
  const sized_block a = heap.allocate_at_least(10'000);
  const std::size_t foretold = heap.shrinkable_to(a.p, a.bytes, 5000, 4000);
  EXPECT_GE(foretold, 4000u);
  EXPECT_LE(foretold, 5000u);
  EXPECT_EQ(heap.stats().in_use_bytes, a.bytes + 8 + mallard::detail::redzone_bytes);
  EXPECT_EQ(heap.shrink(a.p, a.bytes, 5000, 4000), foretold);
  EXPECT_EQ(heap.stats().in_use_bytes, foretold + 8 + mallard::detail::redzone_bytes);
  heap.deallocate_expandable(a.p);
}

#ifndef MALLARD_ASAN  // whose shadow counts too

TEST(heap, a_big_shrink_gives_the_memory_back) {
  for (const bool lone : {false, true}) {
    heap_resource heap;
    // Smaller ones are not lone; they grow in the common segment.
    sized_block a = heap.allocate_at_least(lone ? 64 * mib : 32 * kib);
    if (!lone) a.bytes = heap.try_expand(a.p, a.bytes, 64 * mib, 64 * mib);
    ASSERT_GE(a.bytes, 64 * mib);
    std::memset(a.p, 1, 64 * mib);
    const std::size_t full = resident_bytes();
    ASSERT_NE(heap.shrink(a.p, a.bytes, mib + kib, mib), 0u);
    EXPECT_LT(resident_bytes() + 60 * mib, full) << "lone: " << lone;
    EXPECT_EQ(static_cast<char*>(a.p)[mib - 1], 1);
    heap.deallocate_expandable(a.p);
  }
}

TEST(heap, a_heap_with_one_small_array_takes_a_few_pages) {
  std::vector<heap_resource> heaps(40);
  const std::size_t before = resident_bytes();
  for (heap_resource& heap : heaps) std::memset(heap.allocate_at_least(1000).p, 1, 1000);
  EXPECT_LT(resident_bytes() - before, heaps.size() * 64 * kib);
}

void fill_and_free(heap_resource& heap, std::size_t arrays, std::size_t bytes) {
  std::vector<void*> all(arrays);
  for (void*& p : all) {
    p = heap.allocate(bytes);
    std::memset(p, 1, bytes);
  }
  for (void* p : all) heap.deallocate(p, bytes);
}

TEST(heap, large_arrays_that_are_made_anew_find_their_memory) {
  heap_resource heap;
  fill_and_free(heap, 4, mib);
  const long before = page_faults();
  for (int round = 0; round < 20; ++round) fill_and_free(heap, 4, mib);
  EXPECT_LT(page_faults() - before, 200);
}

TEST(heap, freed_large_arrays_keep_a_quarter_of_the_most_in_use) {
  heap_resource heap;
  const std::size_t before = resident_bytes();
  fill_and_free(heap, 32, 2 * mib);
  EXPECT_LT(resident_bytes(), before + 18 * mib);
}

// With huge pages, touching one block gives memory to its free neighbours.
TEST(heap, large_arrays_of_many_sizes_keep_no_more_than_a_quarter_either) {
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  heap_resource heap;
  std::minstd_rand random(1);
  std::vector<std::pair<void*, std::size_t>> all;
  std::size_t in_use = 0, most = 0;
  const std::size_t before = resident_bytes();
  for (int i = 0; i < 300; ++i) {
    if (random() % 2 == 0 && in_use < 48 * mib) {
      const std::size_t bytes = mib + random() % (15 * mib);
      all.emplace_back(heap.allocate(bytes), bytes);
      std::memset(all.back().first, 1, bytes);
      in_use += bytes;
      most = std::max(most, in_use);
    } else if (!all.empty()) {
      std::swap(all[random() % all.size()], all.back());
      heap.deallocate(all.back().first, all.back().second);
      in_use -= all.back().second;
      all.pop_back();
    }
    ASSERT_LT(resident_bytes(), before + in_use + std::max(8 * mib, most / 4) + 4 * mib) << i;
  }
  for (const auto& [p, bytes] : all) heap.deallocate(p, bytes);
  prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
}

TEST(heap, what_huge_pages_gave_behind_growing_arrays_goes_back_with_them) {
  heap_resource heap;
  const std::size_t before = resident_bytes();
  std::vector<void*> all;
  for (int i = 0; i < 30; ++i) {
    all.push_back(heap.allocate_at_least(10 * mib, 16).p);
    std::memset(all.back(), 1, 10 * mib);
  }
  for (void* const one : all) EXPECT_LE(heap.shrink(one, 10 * mib, 2 * mib, mib), 2 * mib);
  EXPECT_LT(resident_bytes(), before + 30 * 2 * mib);
  for (void* const one : all) heap.deallocate_expandable(one);
  heap.release();
  EXPECT_LT(resident_bytes(), before + 30 * mib / 2);
}

TEST(heap, freed_memory_goes_back_to_the_system) {
  heap_resource heap;
  const std::size_t before = resident_bytes();
  std::vector<void*> blocks;
  for (int i = 0; i < 1000; ++i) {
    blocks.push_back(heap.allocate(64 * kib));
    std::memset(blocks.back(), 1, 64 * kib);
  }
  EXPECT_GT(resident_bytes(), before + 60 * mib);
  for (void* p : blocks) heap.deallocate(p, 64 * kib);
  heap.trim();
  EXPECT_LT(resident_bytes(), before + 2 * mib);
}

#endif

TEST(heap, remap_keeps_the_contents_wherever_the_block_goes) {
  heap_resource heap;
  sized_block a = heap.allocate_at_least(100);
  std::vector<sized_block> others;
  for (std::size_t bytes = 100; bytes < 8 * mib; bytes *= 3) {
    std::memset(a.p, static_cast<int>(bytes % 251), bytes);
    others.push_back(heap.allocate_at_least(50));  // in the way
    a = heap.remap(a.p, bytes, bytes * 3);
    ASSERT_NE(a.p, nullptr);
    ASSERT_GE(a.bytes, bytes * 3);
    for (std::size_t i = 0; i < bytes; i += 7) {
      ASSERT_EQ(static_cast<unsigned char*>(a.p)[i], bytes % 251);
    }
  }
  EXPECT_EQ(heap.remap(a.p, a.bytes, ~std::size_t{0} / 2).p, nullptr);
  a = heap.remap(a.p, a.bytes, 100);
  EXPECT_LT(a.bytes, 200u);
  heap.deallocate_expandable(a.p);
  for (const sized_block& b : others) heap.deallocate_expandable(b.p);
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

// An array that has grown among small ones, filled with a pattern; one of these is behind it now.
sized_block walled_in_array(heap_resource& heap, std::size_t bytes) {
  sized_block a = heap.allocate_at_least(1000);
  a.bytes = heap.try_expand(a.p, a.bytes, bytes, bytes);
  for (std::size_t i = 0; i < bytes / 8; ++i) static_cast<std::size_t*>(a.p)[i] = i * 7;
  static_cast<void>(heap.allocate_at_least(1000));
  return a;
}

void expect_pattern(const sized_block& a, std::size_t bytes) {
  ASSERT_NE(a.p, nullptr);
  for (std::size_t i = 0; i < bytes / 8; ++i) {
    ASSERT_EQ(static_cast<std::size_t*>(a.p)[i], i * 7);
  }
}

constexpr std::size_t moved_sizes[] = {mib, mib + 24, 3 * mib, 5 * mib + 8, 12 * mib};

TEST(heap, large_arrays_move_by_pages_and_keep_every_byte) {
  for (const std::size_t bytes : moved_sizes) {
    heap_resource heap;
    const sized_block a = walled_in_array(heap, bytes);
    const sized_block moved = heap.remap(a.p, bytes, 2 * bytes);
    ASSERT_NE(moved.p, a.p);
    ASSERT_GE(moved.bytes, 2 * bytes);
    expect_pattern(moved, bytes);
    EXPECT_EQ(heap.stats().lone_blocks, 1u);
    std::memset(moved.p, 1, moved.bytes);
    // Both the old place and the new one are as good as any.
    const sized_block again = walled_in_array(heap, bytes);
    expect_pattern(again, bytes);
    heap.deallocate_expandable(again.p);
    heap.deallocate_expandable(moved.p);
  }
}

TEST(heap, an_array_of_several_mappings_is_moved_or_copied) {
  for (const std::size_t bytes : moved_sizes) {
    heap_resource heap;
    const sized_block a = walled_in_array(heap, bytes);
    // A mapping of its own for one page: only its owner can have asked for that.
    auto* const end = static_cast<std::byte*>(a.p) + bytes / 8 * 7;
    auto* const page = end - reinterpret_cast<std::uintptr_t>(end) % 4096;
    ASSERT_EQ(madvise(page, 4096, MADV_DONTFORK), 0);
    const sized_block moved = heap.remap(a.p, bytes, 2 * bytes);
    expect_pattern(moved, bytes);
    ASSERT_EQ(madvise(page, 4096, MADV_DOFORK), 0);
    heap.deallocate_expandable(moved.p);
  }
}

TEST(heap, an_array_outgrows_its_range) {
  heap_resource heap;
  sized_block a = heap.allocate_at_least(mib);
  std::size_t* marks[3];
  const std::size_t range = mallard::detail::standard_range_bytes;
  // In steps as small as do it: at last the pages cannot be moved and are copied, all of them.
  std::size_t before = 0;
  for (const std::size_t bytes : {range / 2, range, range / 4 * 5, range / 4 * 9}) {
    a = heap.remap(a.p, a.bytes, bytes);
    ASSERT_NE(a.p, nullptr);
    const std::size_t places[] = {0, mib / 2, range / 4};
    for (std::size_t i = 0; i < 3; ++i) {
      marks[i] = reinterpret_cast<std::size_t*>(static_cast<std::byte*>(a.p) + places[i]);
      if (before != 0) {
        ASSERT_EQ(*marks[i], before + i);
      }
      *marks[i] = bytes + i;
    }
    before = bytes;
  }
  heap.deallocate_expandable(a.p);
  EXPECT_EQ(heap.stats().reserved_bytes, 0u);
}

#if !defined(__SANITIZE_THREAD__) && !defined(MALLARD_ASAN)  // which need addresses without end

// Enough for the stack, not for what is tested.
constexpr std::size_t few_addresses = 2 * mib;

void require_pattern(const sized_block& a, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes / 8; ++i) {
    mallard_test::require(static_cast<std::size_t*>(a.p)[i] == i * 7, "changed at byte ", 8 * i);
  }
}

TEST(heap, a_move_without_memory_leaves_everything_as_it_was) {
  mallard_test::expect_passed([] {
    heap_resource heap;
    const sized_block a = walled_in_array(heap, 8 * mib);
    const auto before = heap.stats();
    mallard_test::allow_more_addresses(few_addresses);
    // More than any range that earlier heaps have left.
    mallard_test::require(heap.remap(a.p, 8 * mib, 3072 * mib).p == nullptr, "not refused");
    mallard_test::require(heap.stats().in_use_bytes == before.in_use_bytes, "more in use");
    require_pattern(a, 8 * mib);
    mallard_test::require(heap.remap(a.p, 8 * mib, mib).p == a.p, "does not shrink any more");
  });
}

TEST(heap, an_array_whose_pages_the_system_does_not_move_is_copied) {
  mallard_test::expect_passed([] {
    {
      std::vector<heap_resource> heaps(8);  // leave ranges of addresses behind
      for (heap_resource& heap : heaps) static_cast<void>(heap.allocate_at_least(1000));
    }
    heap_resource heap;
    const sized_block a = walled_in_array(heap, 8 * mib);
    mallard_test::allow_more_addresses(few_addresses);
    const sized_block copied = heap.remap(a.p, 8 * mib, 16 * mib);
    mallard_test::require(copied.p != nullptr && copied.p != a.p, "not copied");
    require_pattern(copied, 8 * mib);
    std::memset(copied.p, 1, copied.bytes);
  });
}

#endif

template <class Heap>
void remap_keeps_alignments() {
  Heap heap;
  for (std::size_t alignment = 32; alignment <= 64 * 1024; alignment *= 2) {
    for (const std::size_t bytes : {std::size_t{100}, std::size_t{100'000}, 3 * mib}) {
      sized_block a = heap.allocate_at_least(bytes, alignment);
      for (int i = 0; i < 6; ++i) {
        const sized_block wall = heap.allocate_at_least(64);
        const std::size_t before = a.bytes;
        std::memset(a.p, i, before);
        if (i == 3) a.bytes = heap.shrink(a.p, before, before, before / 2);
        a = heap.remap(a.p, a.bytes, before * 2);
        ASSERT_NE(a.p, nullptr);
        ASSERT_GE(a.bytes, before * 2);
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(a.p) % alignment, 0u) << bytes << " " << i;
        ASSERT_EQ(static_cast<char*>(a.p)[before / 2 - 1], i);
        heap.deallocate_expandable(wall.p);
      }
      heap.deallocate_expandable(a.p);
    }
  }
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

TEST(heap, remap_keeps_the_alignment_of_a_block) {
  remap_keeps_alignments<heap_resource>();
  remap_keeps_alignments<mallard::synchronized_heap_resource>();
}

// The system allows a process 65,530 mappings by default.
TEST(heap, many_growing_blocks_share_mappings) {
  constexpr std::size_t count = mallard_test::instrumented ? 6'000 : 50'000;
  mallard_test::expect_passed([] {
    heap_resource heap;
    std::vector<sized_block> blocks(count);
    for (sized_block& b : blocks) {
      b = heap.allocate_at_least(70'000);
      *static_cast<char*>(b.p) = 'x';
    }
    mallard_test::require(heap.stats().lone_blocks <= 4096, "too many ranges");
    std::ifstream maps("/proc/self/maps");
    const auto lines =
        std::count(std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>(), '\n');
    mallard_test::require(lines < 30'000, lines, " mappings");
    for (sized_block& b : blocks) {
      if (heap.try_expand(b.p, b.bytes, b.bytes * 2, b.bytes * 2) == 0) continue;
      static_cast<char*>(b.p)[b.bytes * 2 - 1] = 'y';
      if (&b - blocks.data() > 100) break;
    }
    for (const sized_block& b : blocks) heap.deallocate_expandable(b.p);
    mallard_test::require(heap.stats().in_use_bytes == 0, "in use");
    // Blocks that were given back are there for the next ones.
    const sized_block again = heap.allocate_at_least(70'000);
    mallard_test::require(heap.stats().lone_blocks == 1, "no range any more");
    heap.deallocate_expandable(again.p);
  });
}

TEST(heap, over_aligned_blocks_of_every_kind_are_aligned) {
  heap_resource heap;
  for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{40}, std::size_t{5000}, mib}) {
      void* blocks[8];
      for (int i = 0; i < 8; ++i) {
        const bool array = i % 2 != 0;
        blocks[i] =
            array ? heap.allocate_at_least(bytes, alignment).p : heap.allocate(bytes, alignment);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks[i]) % alignment, 0u);
      }
      block_chain chain = heap.allocate_many(20, bytes, alignment);
      for (void* p = chain.front(); p != nullptr; p = block_chain::next(p)) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0u);
      }
      heap.deallocate_many(chain, bytes, alignment);
      for (int i = 0; i < 8; ++i) {
        if (i % 2 != 0) {
          heap.deallocate_expandable(blocks[i]);
        } else {
          heap.deallocate(blocks[i], bytes, alignment);
        }
      }
    }
  }
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

TEST(heap, a_burst_is_all_or_nothing_and_its_blocks_are_like_any_other) {
  mallard::test_resource upstream;
  heap_resource heap(&upstream);
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{24}, std::size_t{3000}, std::size_t{100'000}}) {
    block_chain chain = heap.allocate_many(1000, bytes);
    ASSERT_EQ(chain.size(), 1000u);
    std::vector<void*> half;
    while (chain.size() > 500) half.push_back(chain.pop_front());
    for (void* p : half) {
      std::memset(p, 1, bytes);
      heap.deallocate(p, bytes);
    }
    heap.deallocate_many(chain, bytes);
    EXPECT_EQ(heap.stats().in_use_bytes, 0u);
  }
  heap.deallocate_many(block_chain(), 24);
  heap.release();
  for (unsigned n = 0; n < 3; ++n) {
    upstream.fail_after(n);
    EXPECT_THROW(static_cast<void>(heap.allocate_many(100'000, 64)), mallard::test_exception);
    EXPECT_EQ(heap.stats().in_use_bytes, 0u);
    EXPECT_THROW(static_cast<void>(heap.allocate_many(1000, 50'000)), mallard::test_exception);
    EXPECT_EQ(heap.stats().in_use_bytes, 0u);
    upstream.never_fail();
  }
}

TEST(heap, a_burst_may_have_blocks_of_many_sizes) {
  heap_resource heap;
  const std::vector<std::size_t> sizes{8, 100, 50'000, 0, 1, 24, 24, 2000};
  block_chain chain = heap.allocate_many(sizes);
  ASSERT_EQ(chain.size(), sizes.size());
  for (const std::size_t bytes : sizes) heap.deallocate(chain.pop_front(), bytes);
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

TEST(heap, a_burst_of_nodes_comes_in_address_order) {
  heap_resource heap;
  block_chain chain = heap.allocate_many(2000, 24);
  int backward = 0;
  for (void* p = chain.pop_front(); !chain.empty(); p = chain.front(), chain.pop_front()) {
    if (chain.front() < p) ++backward;
  }
  EXPECT_LE(backward, 4);  // one for a slab, at most
  heap.release();
}

TEST(heap, heaps_come_and_go_without_system_calls_for_each) {
  for (int i = 0; i < (mallard_test::instrumented ? 1'000 : 10'000); ++i) {
    heap_resource heap;
    static_cast<void>(heap.allocate(24));
    static_cast<void>(heap.allocate_at_least(1000));
  }
}

TEST(heap, many_heaps_live_at_once) {
  std::vector<std::unique_ptr<heap_resource>> heaps;
  std::vector<sized_block> blocks;
  for (int i = 0; i < (mallard_test::instrumented ? 60 : 300); ++i) {
    heaps.push_back(std::make_unique<heap_resource>());
    blocks.push_back(heaps.back()->allocate_at_least(1000));
    std::memset(blocks.back().p, i, 1000);
  }
  for (std::size_t i = 0; i < heaps.size(); ++i) {
    EXPECT_EQ(static_cast<unsigned char*>(blocks[i].p)[999], i % 256);
    heaps[i].reset();
  }
}

TEST(heap, random_programs_agree_with_the_model) {
  for (const std::uint64_t seed : mallard_test::test_seeds(8)) {
    SCOPED_TRACE(mallard_test::reproduce_with(seed));
    mallard::test_resource upstream;
    heap_resource own;
    heap_resource over(&upstream);
    heap_resource& heap = seed % 2 == 0 ? own : over;
    run_heap_program(heap, seed, [](auto&& step) { step(); });
    heap.trim();
    EXPECT_EQ(heap.stats().reserved_bytes, 0u);
    EXPECT_EQ(upstream.counts().in_use_blocks, 0u);
  }
}

}  // namespace
