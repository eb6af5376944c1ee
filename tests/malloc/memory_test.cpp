// Memory goes back to the system while blocks are in use all over.
#include <gtest/gtest.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "support/choices.hpp"
#include "support/expect_passed.hpp"
#include "support/footprint.hpp"
#include "support/require.hpp"
#include "support/units.hpp"

namespace {

using mallard_test::expect_passed;
using mallard_test::require;
using mallard_test::resident_bytes;

using mallard_test::mib;
constexpr std::size_t block_bytes = 8000;
constexpr std::size_t blocks = 128 * mib / block_bytes;

// Three of four in a random order, after all have been written to.
std::vector<void*> allocate_and_free_most() {
  std::vector<void*> live(blocks);
  for (void*& p : live) p = std::memset(std::malloc(block_bytes), 1, block_bytes);
  mallard_test::shuffle(live, mallard_test::choices(1, blocks));
  for (std::size_t i = blocks / 4; i < blocks; ++i) std::free(live[i]);
  live.resize(blocks / 4);
  return live;
}

void expect_unchanged_and_free(const std::vector<void*>& live) {
  for (void* const p : live) {
    const auto* const bytes = static_cast<unsigned char*>(p);
    for (std::size_t i = 0; i < block_bytes; ++i) require(bytes[i] == 1, "a block was changed");
    std::free(p);
  }
}

TEST(malloc_memory, trimming_gives_back_what_lies_between_blocks_in_use) {
  expect_passed([] {
    malloc_trim(0);  // what other tests have left
    const std::size_t before = resident_bytes();
    const std::vector<void*> live = allocate_and_free_most();
    require(malloc_trim(0) == 1, "nothing was given back");
    const std::size_t held = resident_bytes() - before;
    require(held < 48 * mib, "32 MiB are in use, bytes held: ", held);
    expect_unchanged_and_free(live);
  });
}

TEST(malloc_memory, what_is_more_than_may_be_kept_goes_back_by_itself) {
  expect_passed([] {
    malloc_trim(0);  // what other tests have left
    mallopt(M_TRIM_THRESHOLD, 8 * mib);
    const std::size_t before = resident_bytes();
    const std::vector<void*> live = allocate_and_free_most();
    const std::size_t held = resident_bytes() - before;
    require(held < 96 * mib, "32 MiB are in use, bytes held: ", held);
    expect_unchanged_and_free(live);
  });
}

// The hardened library has mappings for the first 24,000.
TEST(malloc_memory, large_blocks_go_back_also_beside_very_many) {
  expect_passed([] {
    for (int i = 0; i < 24'100; ++i) {
      require(std::malloc(300'000) != nullptr, "there is no memory for block ", i);
    }
    const std::size_t before = resident_bytes();
    std::vector<void*> touched(400);
    for (void*& p : touched) p = std::memset(std::malloc(mib), 1, mib);
    for (void* const p : touched) std::free(p);
    const std::size_t now = resident_bytes();
    require(now < before + 290 * mib, "256 MiB may be kept; before ", before, ", now ", now);
  });
}

TEST(malloc_memory, small_blocks_fit_beside_as_many_huge_ones_as_a_process_may_have_mappings) {
  expect_passed([] {
    for (int i = 0; i < 70'000 && std::malloc(20 * mib) != nullptr; ++i) continue;
    for (int i = 0; i < 10'000; ++i) {
      require(std::malloc(5'000) != nullptr, "there is no memory for small block ", i);
    }
  });
}

// Also with a canary behind them.
TEST(malloc_memory, blocks_of_a_cache_line_stay_with_the_thread_that_frees_them) {
  constexpr std::size_t line = 64;
  const auto allocate_after_others = [] {
    std::vector<void*> others(1000);  // so many that the thread has a heap
    for (void*& p : others) p = std::malloc(line);
    for (void* const p : others) std::free(p);
    return std::malloc(line);
  };
  void* const mine = allocate_after_others();
  void* theirs = nullptr;
  std::thread([&] { theirs = allocate_after_others(); }).join();
  std::free(theirs);
  void* const next = std::malloc(line);
  EXPECT_EQ(next, theirs);
  std::free(next);
  std::free(mine);
}

// How much of a sleeping thread's blocks counts as in use after others have freed them all.
std::size_t left_of_sleeping_threads_blocks(
    const std::function<void(const std::vector<void*>&)>& free_all) {
  constexpr std::size_t bytes = 32;
  const std::size_t before = mallinfo2().uordblks;
  std::vector<void*> all(400'000);
  std::atomic<bool> is_filled = false;
  std::atomic<bool> may_end = false;
  std::thread owner([&] {
    for (void*& p : all) p = std::malloc(bytes);
    is_filled = true;
    is_filled.notify_one();
    may_end.wait(false);
  });
  is_filled.wait(false);
  free_all(all);
  const std::size_t after = mallinfo2().uordblks;
  may_end = true;
  may_end.notify_one();
  owner.join();
  return after - std::min(after, before + all.size() * sizeof(void*));
}

TEST(malloc_memory, what_several_threads_free_at_once_does_not_pile_up_while_their_owner_sleeps) {
  const std::size_t left = left_of_sleeping_threads_blocks([](const std::vector<void*>& all) {
    constexpr std::size_t senders = 8;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < senders; ++t) {
      threads.emplace_back([&all, t] {
        for (std::size_t i = t; i < all.size(); i += senders) std::free(all[i]);
      });
    }
    for (std::thread& t : threads) t.join();
  });
  EXPECT_LT(left, mib);
}

pthread_key_t last_key;
const std::vector<void*>* to_free_at_the_end = nullptr;

// In the last round of destructors a thread has no heap any more.
void free_in_the_last_round(void* rounds_left) {
  const auto left = reinterpret_cast<std::uintptr_t>(rounds_left);
  if (left > 1) {
    pthread_setspecific(last_key, reinterpret_cast<void*>(left - 1));
    return;
  }
  for (void* const p : *to_free_at_the_end) std::free(p);
}

TEST(malloc_memory, what_a_thread_without_a_heap_frees_does_not_pile_up_either) {
  ASSERT_EQ(pthread_key_create(&last_key, free_in_the_last_round), 0);
  const std::size_t left = left_of_sleeping_threads_blocks([](const std::vector<void*>& all) {
    to_free_at_the_end = &all;
    std::thread([] {
      pthread_setspecific(last_key,
                          reinterpret_cast<void*>(std::uintptr_t{PTHREAD_DESTRUCTOR_ITERATIONS}));
    }).join();
  });
  pthread_key_delete(last_key);
  EXPECT_LT(left, mib);
}

}  // namespace
