// The engine of malloc by its own functions, so that sanitizers can watch it.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <bit>
#include <latch>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "mallard/detail/os/uncancelled.hpp"
#include "malloc/engine_calls.hpp"
#include "malloc/malloc_heaps.hpp"
#include "malloc/malloc_pages.hpp"
#include "malloc/random_program.hpp"
#include "malloc/scope.hpp"
#include "malloc/slow_path.hpp"
#include "support/expect_passed.hpp"
#include "support/require.hpp"
#include "support/seeds.hpp"
#include "support/threads.hpp"

namespace {

namespace detail = mallard::detail;

void run_all(const malloc_test::program_shape& shape, std::uint64_t seeds) {
  for (const std::uint64_t seed : mallard_test::test_seeds(seeds)) {
    try {
      malloc_test::run_program(malloc_test::engine_calls, shape, seed);
    } catch (const mallard_test::check_failure& e) {
      FAIL() << e.what() << mallard_test::reproduce_with(seed);
    }
  }
}

std::size_t blocks_outside_slabs() {
  std::size_t blocks = detail::the_pages.huge.usage().blocks;
  for (detail::large_space& space : detail::the_pages.spaces) blocks += space.usage().blocks;
  return blocks;
}

TEST(malloc_engine, programs_of_one_thread_find_their_blocks_unchanged) {
  run_all({.threads = 1, .steps = 10'000, .live = 300}, 3);
  run_all({.threads = 1, .steps = 300, .live = 20, .largest_bytes = 32 << 20}, 2);
  EXPECT_EQ(blocks_outside_slabs(), 0u);
}

TEST(malloc_engine, programs_of_threads_find_their_blocks_unchanged) {
  run_all({.threads = 4, .steps = 5'000, .live = 300}, 3);
  run_all({.threads = 8, .steps = 3'000, .live = 2'000, .largest_bytes = 1'000}, 2);
  EXPECT_EQ(blocks_outside_slabs(), 0u);
}

class taking_samples {
 public:
  explicit taking_samples(std::size_t mean_bytes) { detail::set_samples(mean_bytes); }
  ~taking_samples() { detail::set_samples(0); }
  taking_samples(const taking_samples&) = delete;
  taking_samples& operator=(const taking_samples&) = delete;
};

TEST(malloc_engine, programs_find_their_blocks_unchanged_while_samples_are_taken) {
  const taking_samples here(4000);
  run_all({.threads = 4, .steps = 5'000, .live = 300}, 3);
  run_all({.threads = 4, .steps = 5'000, .live = 2'000, .largest_bytes = 1'000}, 2);
  EXPECT_EQ(blocks_outside_slabs(), 0u);
}

// Allocates so many blocks, and frees them; returns how many were not at hand.
std::size_t not_at_hand(std::size_t bytes, std::size_t blocks) {
  std::size_t missing = 0;
  std::vector<void*> all(blocks);
  for (void*& p : all) {
    p = detail::allocate_at_hand(bytes);
    missing += p == nullptr;
    if (p == nullptr) p = detail::allocate_slow(bytes);
  }
  for (void* const p : all) detail::deallocate(p);
  return missing;
}

TEST(malloc_engine, most_small_blocks_are_at_hand_while_samples_are_taken) {
  const taking_samples here(std::size_t{512} << 10);
  std::thread([] {
    not_at_hand(1, 100);  // before a thread has a heap
    for (const std::size_t bytes : {1u, 24u, 100u, 256u}) {
      std::size_t missing = 0;
      for (int i = 0; i < 4000; ++i) missing += not_at_hand(bytes, 1);
      EXPECT_LT(missing, 200) << bytes;
      EXPECT_LT(not_at_hand(bytes, 4000), 200) << bytes;
    }
    EXPECT_LT(not_at_hand(1000, 4000), 500);
    // Blocks of portions are not in use.
    std::size_t waiting = 0;
    for (unsigned c = 0; c < detail::malloc_class_count; ++c) {
      for (void** top = detail::cache.top_of(c); *top != nullptr; --top) {
        waiting += detail::class_bytes(c);
      }
    }
    EXPECT_GT(detail::cache.heap->at_hand_bytes(), waiting);
  }).join();
}

// In a child, since the scope's heap is kept.
// One that returns may have interrupted a call that takes a block from a magazine.
TEST(malloc_engine, room_for_a_signal_handler_is_not_made_in_magazines) {
  constexpr std::size_t bytes = 64;
  detail::deallocate(detail::allocate(bytes));
  const unsigned size_class = detail::any_class_of(bytes);
  void** const top = detail::cache.top_of(size_class);
  ASSERT_NE(*top, nullptr);
  detail::make_room_for(bytes, detail::own_magazines::stay);
  EXPECT_EQ(detail::cache.top_of(size_class), top);
  detail::make_room_for(bytes, detail::own_magazines::are_emptied);
  EXPECT_EQ(*detail::cache.top_of(size_class), nullptr);
}

TEST(malloc_engine, a_scope_gets_no_blocks_of_its_thread_while_samples_are_taken) {
  mallard_test::expect_passed([] {
    const taking_samples here(std::size_t{512} << 10);
    not_at_hand(100, 1000);
    detail::open_scope* const scope = detail::begin_scope(nullptr);
    void* const p = detail::allocate(100);
    mallard_test::require(detail::mark_of(p).is_of_user_heap(), "a block from outside");
    detail::deallocate(p);
    mallard_test::require(detail::end_scope(scope) == 0, "a survivor");
  });
}

TEST(malloc_engine, heaps_change_hands_while_blocks_are_under_way_to_them) {
  constexpr std::size_t ring_size = 256;
  std::vector<std::atomic<void*>> ring(ring_size);
  std::atomic<bool> stop{false};
  std::thread freer([&] {
    while (!stop) {
      for (std::atomic<void*>& place : ring) detail::deallocate(place.exchange(nullptr));
    }
  });
  for (int turn = 0; turn < 100; ++turn) {
    mallard_test::in_threads(std::size_t{3}, [&](std::size_t t) {
      for (std::size_t i = 0; i < 300; ++i) {
        const std::size_t bytes = 16 + (i * 37 + t) % 3000;
        auto* const p = static_cast<char*>(detail::allocate(bytes));
        p[0] = p[bytes - 1] = 1;
        detail::deallocate(ring[(i * 5) % ring_size].exchange(p));
      }
    });
    detail::trim();
  }
  stop = true;
  freer.join();
  for (std::atomic<void*>& place : ring) detail::deallocate(place.exchange(nullptr));
}

std::size_t bytes_in_use_of_other_heaps() {
  std::size_t bytes = 0;
  for (detail::malloc_heap* h = detail::the_heaps.first(); h != nullptr; h = h->next) {
    if (h == detail::cache.heap) continue;
    bytes += h->taken_of_slabs() - h->at_hand_bytes();
  }
  return bytes;
}

// With the blocks that lie in magazines.
std::size_t bytes_counted_in_slabs(detail::malloc_heap& heap) {
  std::size_t bytes = heap.usage().taken_bytes;
  for (unsigned c = 0; c < detail::malloc_class_count; ++c) {
    const auto free = static_cast<std::size_t>(std::popcount(heap.pools()[c].free_slots));
    bytes -= free * detail::class_bytes(c);
  }
  return bytes;
}

TEST(malloc_engine, heaps_know_without_a_walk_how_much_has_left_their_slabs) {
  run_all({.threads = 4, .steps = 5'000, .live = 300}, 2);
  for (detail::malloc_heap* h = detail::the_heaps.first(); h != nullptr; h = h->next) {
    EXPECT_EQ(h->taken_of_slabs(), bytes_counted_in_slabs(*h));
  }
}

std::vector<void*> allocate_many(std::size_t count, std::size_t bytes) {
  std::vector<void*> blocks(count);
  for (void*& p : blocks) p = detail::allocate(bytes);
  return blocks;
}

void free_all(std::vector<void*>& blocks) {
  for (void* p : blocks) detail::deallocate(p);
  blocks.clear();
}

// How many cache lines have a part of a block of either list.
std::size_t lines_in_both(const std::vector<void*>& one, const std::vector<void*>& other,
                          std::size_t bytes) {
  const auto lines_of = [&](const std::vector<void*>& blocks) {
    std::set<std::uintptr_t> lines;
    for (void* p : blocks) {
      const std::uintptr_t begin = detail::address_of(p);
      for (std::uintptr_t line = begin / 64; line <= (begin + bytes - 1) / 64; ++line) {
        lines.insert(line);
      }
    }
    return lines;
  };
  std::size_t count = 0;
  const std::set<std::uintptr_t> lines = lines_of(one);
  for (const std::uintptr_t line : lines_of(other)) count += lines.count(line);
  return count;
}

// Each frees half of what the first has allocated and gets blocks of that size then.
TEST(malloc_engine, blocks_of_two_threads_share_no_cache_line) {
  for (const std::size_t bytes : {16u, 48u, 64u, 80u, 96u, 112u, 128u, 160u, 192u, 224u, 320u}) {
    const auto get = [&](std::size_t count) {
      std::vector<void*> blocks(count);
      for (void*& p : blocks) p = detail::allocate(bytes);
      return blocks;
    };
    for (void* p : get(detail::most_calls_without_heap + 1)) detail::deallocate(p);
    std::vector<void*> mine = get(200);
    std::vector<void*> theirs;
    std::thread([&] {
      const std::vector<void*> first = get(200);  // its magazine is empty then, and large
      for (std::size_t i = 1; i < mine.size(); i += 2) detail::deallocate(mine[i]);
      theirs = get(mine.size() / 2);
      for (void* p : first) detail::deallocate(p);
    }).join();
    std::vector<void*> left;
    for (std::size_t i = 0; i < mine.size(); i += 2) left.push_back(mine[i]);
    EXPECT_EQ(lines_in_both(left, theirs, bytes), 0u) << bytes;
    for (void* p : left) detail::deallocate(p);
    for (void* p : theirs) detail::deallocate(p);
  }
}

// The first thread ends and leaves a slab; blocks of it are under way to its heap, of the second
// thread, when the third one takes the slab over.
TEST(malloc_engine, blocks_sent_to_an_ended_thread_find_the_heap_that_took_their_slab_over) {
  constexpr std::size_t bytes = 48;
  detail::trim();  // what this thread still has of others goes home
  std::atomic<int> step{0};
  const auto reach = [&](int next) { step = next; };
  const auto wait_for = [&](int wanted) {
    while (step < wanted) std::this_thread::yield();
  };
  std::vector<void*> left;
  // The others are there before the first one ends, so that none of them gets its heap.
  std::thread third([&] {
    std::vector<void*> own = allocate_many(100, 1'000);
    reach(1);
    wait_for(3);
    const std::vector<void*> more = allocate_many(100, bytes);
    own.insert(own.end(), more.begin(), more.end());
    reach(4);
    wait_for(5);
    free_all(own);
    free_all(left);
  });
  std::thread second([&] {
    wait_for(1);
    std::vector<void*> own = allocate_many(100, 1'000);
    std::thread([&] {
      left = allocate_many(300, bytes);
      for (std::size_t i = 0; i < 100; ++i) {
        detail::deallocate(left.back());
        left.pop_back();
      }
    }).join();
    for (std::size_t i = 0; i < 5; ++i) {
      detail::deallocate(left.back());
      left.pop_back();
    }
    reach(3);
    wait_for(4);
    free_all(own);
  });
  second.join();
  reach(5);
  third.join();
  EXPECT_EQ(bytes_in_use_of_other_heaps(), 0u);
}

// Blocks come home at all times: while their owner ends, to a heap that has another owner by then,
// to one whose slab has been taken over by a third.
TEST(malloc_engine, no_block_waits_in_heaps_without_threads) {
  constexpr std::size_t ring_size = 64;
  std::vector<std::atomic<void*>> ring(ring_size);
  detail::trim();  // what this thread still has of others goes home
  for (int turn = 0; turn < 400; ++turn) {
    mallard_test::in_threads(std::size_t{4}, [&](std::size_t t) {
      for (std::size_t i = 0; i < 150 + 50 * t; ++i) {
        void* const p = detail::allocate(16 + (i + t) % 3 * 16);
        detail::deallocate(ring[(i * 5 + t) % ring_size].exchange(p));
      }
      for (std::atomic<void*>& place : ring) detail::deallocate(place.exchange(nullptr));
    });
    ASSERT_EQ(bytes_in_use_of_other_heaps(), 0u) << "turn " << turn;
  }
}

// The steps come after each other, but only the heaps' own locks order what is done in them. For a
// sanitizer to see.
TEST(malloc_engine, a_heap_is_trimmed_by_one_thread_while_it_waits_and_by_another_after_that) {
  using detail::malloc_heap;
  const auto trim = [](detail::malloc_heaps& heaps) { heaps.trim(true); };
  const auto trim_if_quiet = [](detail::malloc_heaps& heaps) {
    for (malloc_heap* h = heaps.first(); h != nullptr; h = h->next) h->trim_if_quiet();
  };
  for (void (*const last)(detail::malloc_heaps&) : {+trim, +trim_if_quiet}) {
    detail::malloc_pages pages;
    detail::malloc_heaps heaps{pages};
    std::array<detail::thread_cache, 2> caches{detail::thread_cache::without_heap(),
                                               detail::thread_cache::without_heap()};
    std::atomic<std::size_t> steps{0};
    mallard_test::in_threads(std::size_t{3}, [&](std::size_t t) {
      while (steps.load(std::memory_order_relaxed) != t) std::this_thread::yield();
      if (t != 2) heaps.begin_thread(caches[t]);
      if (t == 0) heaps.end_thread(caches[t]);
      if (t == 0) heaps.trim(true);
      if (t == 2) last(heaps);
      steps.store(t + 1, std::memory_order_relaxed);
    });
  }
}

// Its slabs stay with it then, and nobody can adopt them.
TEST(malloc_engine, a_thread_that_ends_without_memory_for_the_common_heap_leaves_its_own) {
  static constinit detail::malloc_pages pages;
  static constinit detail::malloc_heaps heaps{pages};
  detail::thread_cache ending = detail::thread_cache::without_heap();
  detail::thread_cache staying = detail::thread_cache::without_heap();
  const unsigned size_class = detail::any_class_of(100);
  void* const p = heaps.begin_thread(ending)->refill(ending, size_class);
  detail::malloc_heap* const heap = heaps.begin_thread(staying);
  ASSERT_NE(p, nullptr);
  pages.set_limit(pages.supply.usage().in_use_bytes);
  heaps.end_thread(ending);
  detail::malloc_heap::send_alone(p, detail::mark_of(p));
  EXPECT_EQ(heap->refill(staying, size_class), nullptr);
  pages.set_limit(detail::memory_budget::none);
  EXPECT_NE(heap->refill(staying, size_class), nullptr);
}

TEST(malloc_engine, marks_tell_which_blocks_may_stay_with_a_thread) {
  using detail::slice_mark;
  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const std::size_t mine = random() % detail::heap_numbers::most;
    const std::size_t other = i % 2 == 0
                                  ? random() % detail::heap_numbers::most
                                  : mine ^ std::size_t{1} << random() % detail::heap_numbers::bits;
    const std::size_t size_class = random() % detail::malloc_class_count;
    const std::uintptr_t foreign = slice_mark::foreign_to(mine, false);
    const std::uintptr_t in_scope = slice_mark::foreign_to(mine, true);
    for (const std::uintptr_t bits : {foreign, in_scope}) {
      EXPECT_EQ(slice_mark::of_slab(other, size_class, false).has_any(bits), mine != other);
      EXPECT_EQ(slice_mark::of_user_heap_slab(other, size_class).has_any(bits), mine != other);
      EXPECT_TRUE(slice_mark::of_user_heap_space(mine).has_any(bits));
      EXPECT_TRUE(slice_mark::huge_of_user_heap(mine).has_any(bits));
    }
    const slice_mark everybodys = slice_mark::of_slab(other, size_class, true);
    EXPECT_FALSE(everybodys.has_any(foreign));
    EXPECT_TRUE(everybodys.has_any(in_scope));
    EXPECT_EQ(everybodys.size_class(), size_class);
    EXPECT_EQ(everybodys.kind(), detail::slice_kind::slab);
  }
  for (const slice_mark one :
       {slice_mark::huge(), slice_mark::guarded(), slice_mark::of_space(3)}) {
    EXPECT_TRUE(one.has_any(slice_mark::foreign_to(5, false)));
  }
  EXPECT_EQ(slice_mark().kind(), detail::slice_kind::none);
  EXPECT_EQ(slice_mark().magazine(), 0u);
  EXPECT_EQ(slice_mark::of_space(3).space_index(), 3u);
}

TEST(malloc_engine, an_address_in_a_free_slice_is_refused_before_anything_is_copied) {
  void* const run = detail::the_pages.supply.take(64 << 10);
  detail::the_pages.supply.give(run, 64 << 10);
  detail::deallocate(detail::allocate(40));  // one is at hand
  EXPECT_DEATH(detail::reallocate(static_cast<char*>(run) + 64, 40),
               "size of an address where no block begins");
}

// Apart from the process's own.
struct engine {
  detail::malloc_pages pages;
  detail::malloc_heaps heaps{pages};
};

// Two threads' heaps: of the first's blocks the second has freed all.
struct owner_and_other : engine {
  static constexpr unsigned size_class = detail::class_of(48);
  static constexpr std::size_t block_count = 100'000;

  owner_and_other() {
    for (std::size_t i = 0; i < block_count; ++i) blocks.push_back(take());
  }
  void free_all() {
    for (void* p : blocks) other->send(p, detail::mark_of(p));
    other->post_all();
  }
  // While the owner has its lock, nobody puts anything back.
  void free_all_while_it_works() {
    const detail::holding hold(owner->lock());
    free_all();
  }
  void* take() {
    void* const p = mine.take(detail::magazine_of(size_class));
    return p != nullptr ? p : owner->refill(mine, size_class);
  }

  detail::thread_cache mine = detail::thread_cache::without_heap();
  detail::thread_cache others = detail::thread_cache::without_heap();
  detail::malloc_heap* owner = heaps.begin_thread(mine);
  detail::malloc_heap* other = heaps.begin_thread(others);
  std::vector<void*> blocks;
};

TEST(malloc_engine, no_call_puts_back_all_that_another_thread_has_freed_meanwhile) {
  owner_and_other is;
  is.free_all_while_it_works();
  const std::size_t held = is.pages.supply.usage().in_use_bytes;
  std::size_t most = 0;
  for (std::size_t i = 0; i < is.block_count; ++i) {
    const std::size_t before = is.owner->taken_of_slabs();
    ASSERT_NE(is.take(), nullptr);
    const std::size_t after = is.owner->taken_of_slabs();
    if (after < before) most = std::max(most, before - after);
  }
  EXPECT_GT(most, 0U);
  EXPECT_LE(most, (is.owner->most_at_once + 64) * 48);
  EXPECT_LE(is.pages.supply.usage().in_use_bytes, held);
}

TEST(malloc_engine, who_looks_after_a_quiet_heap_puts_back_a_portion_at_a_time) {
  using quiet = detail::malloc_heap::quiet;
  owner_and_other is;
  is.free_all_while_it_works();
  EXPECT_EQ(is.owner->trim_if_quiet(), quiet::is_needed);
  for (std::size_t left = is.block_count; left > is.owner->most_at_once;
       left -= is.owner->most_at_once) {
    const std::size_t before = is.owner->taken_of_slabs();
    ASSERT_EQ(is.owner->trim_if_quiet(), quiet::may_have_more);
    ASSERT_EQ(before - is.owner->taken_of_slabs(), is.owner->most_at_once * 48);
  }
  while (is.owner->trim_if_quiet() == quiet::may_have_more) continue;
  EXPECT_LE(is.owner->taken_of_slabs(), 128 * 48U);
}

TEST(malloc_engine, who_frees_many_of_another_threads_blocks_puts_them_back) {
  owner_and_other is;
  is.free_all();
  EXPECT_LE(is.owner->taken_of_slabs(), 2'500 * 48U);
  // Blocks that wait are not in use: whoever asks puts them back.
  const std::size_t at_hand = is.owner->at_hand_bytes();
  EXPECT_LE(is.owner->taken_of_slabs() - at_hand, 48U);
}

// A thread that has allocated and sleeps, in the engine of this process.
class sleeping_owner {
 public:
  explicit sleeping_owner(std::size_t count) : blocks(count) { is_filled_.wait(); }
  ~sleeping_owner() {
    is_over_.count_down();
    thread_.join();
  }

  std::vector<void*> blocks;
  detail::malloc_heap* heap = nullptr;

 private:
  std::latch is_filled_{1};
  std::latch is_over_{1};
  std::thread thread_{[this] {
    detail::deallocate(detail::allocate(5'000));  // this thread has a heap now
    for (void*& p : blocks) p = detail::allocate(48);
    heap = detail::cache.heap;
    is_filled_.count_down();
    is_over_.wait();
  }};
};

// A signal handler that has interrupted malloc may have interrupted who holds any lock.
TEST(malloc_engine, who_frees_in_the_middle_of_malloc_sends_nothing) {
  mallard_test::expect_passed([] {
    const sleeping_owner owner(1'000);
    detail::deallocate(detail::allocate(5'000));  // this thread has a heap now
    const detail::slow_path here;
    for (void* p : owner.blocks) detail::deallocate(p);
    mallard_test::require(!owner.heap->has_waiting(), "blocks were sent");
  });
}

TEST(malloc_engine, who_frees_with_others_puts_back_as_much_as_they_send) {
  mallard_test::expect_passed([] {
    constexpr std::size_t senders = 8;
    const sleeping_owner owner(400'000);
    mallard_test::in_threads(senders, [&](std::size_t t) {
      for (std::size_t i = t; i < owner.blocks.size(); i += senders) {
        detail::deallocate(owner.blocks[i]);
      }
    });
    const std::size_t left = owner.heap->taken_of_slabs();
    mallard_test::require(left < owner.blocks.size() * 48 / 10, "bytes left: ", left);
  });
}

// Some 900 batches, of which the first 64 are not too much.
TEST(malloc_engine, who_sends_too_much_waits_a_moment_for_the_owners_lock_also_in_a_scope) {
  for (const bool in_scope : {false, true}) {
    mallard_test::expect_passed([in_scope] {
      const sleeping_owner owner(60'000);
      const detail::holding hold(owner.heap->lock());
      rusage usage = {};
      std::thread([&] {
        detail::deallocate(detail::allocate(5'000));  // this thread has a heap now
        if (in_scope) detail::begin_scope(nullptr);
        for (void* p : owner.blocks) detail::deallocate(p);
        getrusage(RUSAGE_THREAD, &usage);
        detail::end_all_scopes();
      }).join();
      mallard_test::require(usage.ru_nvcsw > 500, "times waited: ", usage.ru_nvcsw);
    });
  }
}

TEST(malloc_engine, no_two_random_numbers_are_alike_and_all_are_odd) {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t bits = detail::os::random_bits();
    EXPECT_EQ(bits % 2, 1U);
    seen.insert(bits);
  }
  EXPECT_EQ(seen.size(), 10'000U);
}

TEST(malloc_engine, engines_are_objects_that_know_nothing_of_each_other) {
  constexpr unsigned size_class = detail::class_of(48);
  std::array<engine, 2> engines;
  for (engine& one : engines) {
    auto mine = detail::thread_cache::without_heap();
    auto others = detail::thread_cache::without_heap();
    detail::malloc_heap* const heap = one.heaps.begin_thread(mine);
    detail::malloc_heap* const other = one.heaps.begin_thread(others);
    std::vector<void*> blocks;
    for (int i = 0; i < 1'000; ++i) {
      void* p = mine.take(detail::magazine_of(size_class));
      if (p == nullptr) p = heap->refill(mine, size_class);
      ASSERT_NE(p, nullptr);
      blocks.push_back(p);
    }
    EXPECT_TRUE(other->has_no_slabs());
    for (void* p : blocks) other->send(p, detail::mark_of(p));
    EXPECT_TRUE(heap->has_waiting());
    one.heaps.end_thread(mine);
    one.heaps.end_thread(others);
    one.heaps.trim(true);
    for (detail::malloc_heap* h = one.heaps.first(); h != nullptr; h = h->next) {
      EXPECT_TRUE(h->has_no_slabs());
    }
    // Those two and the common one.
    EXPECT_EQ(one.pages.supply.usage().in_use_bytes, 3 * detail::heap_bytes);
  }
  EXPECT_EQ(engines[0].pages.supply.usage().regions, 1U);
}

}  // namespace
