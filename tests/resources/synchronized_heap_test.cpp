#include "mallard/synchronized_heap.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "mallard/checks/test_resource.hpp"
#include "mallard/expandable_allocator.hpp"
#include "mallard/multipool.hpp"
#include "mallard/synchronized_multipool.hpp"
#include "resources/heap_program.hpp"
#include "support/child.hpp"
#include "support/marked_block.hpp"
#include "support/seeds.hpp"
#include "support/threads.hpp"
#include "support/worker.hpp"

namespace {

// As docs/map.md says.
static_assert(sizeof(mallard::multipool_resource) < 2 * 1024);
static_assert(sizeof(mallard::heap_resource) < 2 * 1024);
static_assert(sizeof(mallard::synchronized_multipool_resource) < 3 * 1024);
static_assert(sizeof(mallard::synchronized_heap_resource) < 3 * 1024);

using mallard::block_chain;
using mallard::sized_block;
using mallard::synchronized_heap_resource;
using mallard_test::expect_unchanged;
using mallard_test::give;
using mallard_test::marked_block;
using mallard_test::take;
using mallard_test::worker;

TEST(synchronized_heap, blocks_of_every_kind_may_be_given_back_by_another_thread) {
  synchronized_heap_resource heap;
  const marked_block small = take(heap, 24, 1);
  const marked_block large = take(heap, 100'000, 2);
  const sized_block array = heap.allocate_at_least(1000);
  std::thread([&] {
    give(heap, small);
    give(heap, large);
    heap.deallocate_expandable(array.p);
  }).join();
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

TEST(synchronized_heap, an_array_grows_whoever_asks_for_it) {
  synchronized_heap_resource heap;
  sized_block array = heap.allocate_at_least(16);
  worker other;
  for (int i = 0; i < 100; ++i) {
    const auto grow = [&] {
      array.bytes = heap.try_expand(array.p, array.bytes, array.bytes + 1, array.bytes * 5 / 4);
      ASSERT_NE(array.bytes, 0u);
    };
    if (i % 2 == 0) {
      other.does(grow);
    } else {
      grow();
    }
    if (array.bytes > std::size_t{8} << 20) break;
  }
  EXPECT_EQ(heap.stats().expansions_done, heap.stats().expansions_tried);
  heap.deallocate_expandable(array.p);
}

TEST(synchronized_heap, remap_keeps_the_contents) {
  synchronized_heap_resource heap;
  sized_block a = heap.allocate_at_least(100);
  std::vector<sized_block> others;
  for (std::size_t bytes = 100; bytes < std::size_t{4} << 20; bytes *= 3) {
    std::memset(a.p, static_cast<int>(bytes % 251), bytes);
    others.push_back(heap.allocate_at_least(50));  // in the way
    a = heap.remap(a.p, bytes, bytes * 3);
    ASSERT_NE(a.p, nullptr);
    expect_unchanged({a.p, bytes, static_cast<unsigned char>(bytes % 251)});
  }
  EXPECT_EQ(heap.remap(a.p, a.bytes, ~std::size_t{0} / 2).p, nullptr);
  heap.deallocate_expandable(a.p);
  for (const sized_block& b : others) heap.deallocate_expandable(b.p);
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

TEST(synchronized_heap, a_burst_may_be_given_back_by_others_in_any_mixture) {
  synchronized_heap_resource heap;
  worker other;
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{24}, std::size_t{3000}, std::size_t{50'000}}) {
    block_chain mine = heap.allocate_many(300, bytes);
    block_chain theirs;
    other.does([&] { theirs = heap.allocate_many(300, bytes); });
    block_chain mixed;
    for (unsigned i = 0; !mine.empty() || !theirs.empty(); ++i) {
      block_chain& from = theirs.empty() || (!mine.empty() && i % 5 < 3) ? mine : theirs;
      mixed.push_back(from.pop_front());
    }
    ASSERT_EQ(mixed.size(), 600u);
    heap.deallocate_many(mixed, bytes);
    EXPECT_EQ(heap.stats().in_use_bytes, 0u);
  }
  const block_chain left = heap.allocate_many(1000, 40);
  std::thread([&] { heap.deallocate_many(left, 40); }).join();
  heap.deallocate_many(block_chain(), 24);
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

TEST(synchronized_heap, a_burst_is_all_or_nothing) {
  mallard::test_resource upstream;
  synchronized_heap_resource heap(&upstream);
  for (unsigned n = 0; n < 4; ++n) {
    upstream.fail_after(n);
    EXPECT_THROW(static_cast<void>(heap.allocate_many(100'000, 64)), mallard::test_exception);
    EXPECT_THROW(static_cast<void>(heap.allocate_many(1000, 50'000)), mallard::test_exception);
    EXPECT_EQ(heap.try_allocate_expandable(10'000'000, 20'000'000).p, nullptr);
    upstream.never_fail();
    EXPECT_EQ(heap.stats().in_use_bytes, 0u);
  }
}

TEST(synchronized_heap, bursts_use_what_ended_threads_have_left) {
  synchronized_heap_resource heap;
  block_chain theirs;
  std::thread([&] { theirs = heap.allocate_many(600, 24); }).join();  // a slab, for the most part
  const std::size_t slabs = heap.stats().slabs;
  heap.deallocate_many(theirs, 24);
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
  const block_chain mine = heap.allocate_many(500, 24);
  EXPECT_LE(heap.stats().slabs, slabs);
  heap.deallocate_many(mine, 24);
}

TEST(synchronized_heap, release_is_a_new_start_for_every_thread) {
  mallard::test_resource upstream;
  synchronized_heap_resource heap(&upstream);
  worker other;
  for (int round = 0; round < 10; ++round) {
    other.does([&] {
      for (int k = 0; k < 1000; ++k) static_cast<void>(take(heap, 100, 7));
      static_cast<void>(heap.allocate_at_least(1 << 20));
    });
    static_cast<void>(take(heap, 100'000, 8));
    heap.release();
    EXPECT_EQ(upstream.counts().in_use_blocks, 0u);
    EXPECT_EQ(heap.stats().reserved_bytes, 0u);
  }
}

TEST(synchronized_heap, containers_may_use_it_by_type) {
  synchronized_heap_resource heap;
  {
    using allocator = mallard::expandable_allocator<int, synchronized_heap_resource>;
    std::vector<int, allocator> v{allocator(&heap)};
    std::thread([&] {
      for (int i = 0; i < 100'000; ++i) v.push_back(i);
    }).join();
    EXPECT_EQ(v[99'999], 99'999);
  }
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

// Every step is done by some thread, and these come and go.
TEST(synchronized_heap, random_programs_of_many_threads_agree_with_the_model) {
  for (const std::uint64_t seed : mallard_test::test_seeds(4)) {
    SCOPED_TRACE(mallard_test::reproduce_with(seed));
    mallard::test_resource upstream;
    synchronized_heap_resource own;
    synchronized_heap_resource over(&upstream);
    synchronized_heap_resource& heap = seed % 2 == 0 ? own : over;
    std::mt19937_64 random(seed + 1);
    std::vector<std::unique_ptr<worker>> workers(4);
    for (auto& w : workers) w = std::make_unique<worker>();
    mallard_test::run_heap_program(heap, seed, [&](auto&& step) {
      auto& who = workers[random() % workers.size()];
      if (random() % 100 == 0) {
        who.reset();  // the thread ends
        who = std::make_unique<worker>();
      }
      who->does(step);
    });
    workers.clear();
    heap.trim();
    EXPECT_EQ(heap.stats().slabs, 0u);
    heap.release();
    EXPECT_EQ(heap.stats().reserved_bytes, 0u);
    EXPECT_EQ(upstream.counts().in_use_blocks, 0u);
  }
}

// All at once, with more threads than cores: arrays go round through a common exchange and are
// grown and shrunk on the way.
TEST(synchronized_heap, threads_that_exchange_arrays_at_full_speed_spoil_none) {
  synchronized_heap_resource heap;
  struct place {
    std::mutex lock;
    std::optional<marked_block> held;
  };
  std::vector<place> exchange(64);
  mallard_test::in_threads(6u, [&](unsigned t) {
    std::mt19937 engine(t);
    const auto random = [&] { return static_cast<unsigned>(engine()); };
    for (int i = 0; i < 3000; ++i) {
      const sized_block fresh = heap.allocate_at_least(1 + random() % 20'000);
      std::optional<marked_block> mine{
          {fresh.p, fresh.bytes, static_cast<unsigned char>(random())}};
      std::memset(mine->p, mine->mark, mine->bytes);
      {
        place& at = exchange[random() % exchange.size()];
        const std::lock_guard hold(at.lock);
        std::swap(at.held, mine);
      }
      const block_chain nodes = heap.allocate_many(20, 40);
      void* const aligned = heap.allocate_at_least(100, 256).p;
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % 256, 0u);
      heap.deallocate_expandable(aligned);
      if (mine) {
        const std::size_t now = heap.try_expand(mine->p, mine->bytes, mine->bytes + 100, 0);
        if (now == 0) heap.shrink(mine->p, mine->bytes, mine->bytes, mine->bytes / 2);
        if (now == 0) mine->bytes /= 2;
        const sized_block moved = heap.remap(mine->p, mine->bytes, mine->bytes * 2);
        expect_unchanged({moved.p, mine->bytes, mine->mark});
        heap.deallocate_expandable(moved.p);
      }
      heap.deallocate_many(nodes, 40);
      if (i % 1000 == 999) heap.trim();
    }
  });
  for (place& at : exchange) {
    if (at.held) heap.deallocate_expandable(at.held->p);
  }
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

// The sanitizers' own allocators do not survive a fork among threads.
#if !defined(__SANITIZE_THREAD__) && !defined(MALLARD_ASAN)

TEST(synchronized_heap, a_child_of_a_process_busy_with_arrays_can_go_on) {
  synchronized_heap_resource heap;
  const mallard_test::busy_threads busy(
      3, [&] { heap.deallocate_expandable(heap.allocate_at_least(1000).p); });
  for (int i = 0; i < 100; ++i) {
    const int code = mallard_test::exit_code_of([&] {
      const sized_block block = heap.allocate_at_least(5000);
      give(heap, take(heap, 100, 1));
      heap.deallocate_expandable(block.p);
    });
    ASSERT_EQ(code, 0) << "child " << i;
  }
}

#endif

}  // namespace
