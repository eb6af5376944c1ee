// Calls that succeed leave errno alone.
#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <latch>

#include "malloc/workload.hpp"
#include "support/threads.hpp"

namespace {

constexpr int unlikely_error = 12'345;

// Frees the block; false if errno is another then.
bool free_keeps_errno(void* p) {
  errno = unlikely_error;
  std::free(p);
  return errno == unlikely_error;
}

// Blocks of all sizes; most are small, so that locks are met often. Some with a larger alignment.
void* allocate_some(std::size_t i) {
  static constexpr std::array<std::size_t, 8> others = {64,      1'000,   5'000,     40'000,
                                                        200'000, 500'000, 3'000'000, 9'000'000};
  if (i % 16 != 0) return std::malloc(16 + i % 40);
  const std::size_t bytes = others[i / 16 % (i % 512 == 0 ? 8 : 5)];
  void* p = nullptr;
  if (i % 32 == 0) return posix_memalign(&p, 256, bytes) == 0 ? p : nullptr;
  return std::malloc(bytes);
}

// The system refuses many of the addresses that malloc asks it for first.
TEST(malloc_errno, a_block_of_any_size_changes_none) {
  for (const std::size_t bytes : {1'000u, 70'000u, 250'000u, 1'000'000u, 3'000'000u, 30'000'000u}) {
    std::vector<void*> blocks;
    const auto expect_kept = [&](const char* what, void* p) {
      ASSERT_NE(p, nullptr) << what;
      EXPECT_EQ(errno, unlikely_error) << what << " of " << bytes;
      blocks.push_back(p);
      errno = unlikely_error;
    };
    errno = unlikely_error;
    for (int i = 0; i < 40; ++i) {
      expect_kept("malloc", std::malloc(bytes));
      expect_kept("calloc", std::calloc(1, bytes));
      expect_kept("aligned_alloc", aligned_alloc(4096, (bytes + 4095) / 4096 * 4096));
      expect_kept("realloc", std::realloc(nullptr, bytes));
      expect_kept("new", ::operator new(bytes));
    }
    for (void* const p : blocks) std::free(p);
  }
}

TEST(malloc_errno, a_block_that_moves_because_it_cannot_grow_in_place_changes_none) {
  for (const std::size_t bytes :
       {std::size_t{50'000}, std::size_t{3} << 20, std::size_t{100} << 20}) {
    void* const p = std::malloc(bytes);
    ASSERT_NE(p, nullptr);
    errno = unlikely_error;
    void* const moved = std::realloc(p, 2 * bytes);
    EXPECT_EQ(errno, unlikely_error) << bytes;
    ASSERT_NE(moved, nullptr);
    std::free(moved);
  }
}

TEST(malloc_errno, malloc_trim_keeps_it_when_threads_meet_there) {
  std::atomic<int> changed{0};
  mallard_test::in_threads(std::size_t{4}, [&](std::size_t t) {
    for (std::size_t i = 0; i < 500; ++i) {
      void* const p = allocate_some(i * 16 + t);
      errno = unlikely_error;
      malloc_trim(0);
      if (errno != unlikely_error) ++changed;
      std::free(p);
    }
  });
  EXPECT_EQ(changed, 0);
}

// Small blocks go home one by one when their owners are many, and each time behind a lock.
TEST(malloc_errno, free_keeps_it_when_threads_meet_at_the_blocks_of_ended_ones) {
  constexpr std::size_t owners = 8;
  constexpr std::size_t blocks_each = 5'000;
  constexpr std::size_t freers = 8;
  std::atomic<int> changed{0};
  for (int turn = 0; turn < 20; ++turn) {
    std::vector<std::vector<void*>> blocks(owners, std::vector<void*>(blocks_each));
    std::atomic<std::size_t> ready{0};
    mallard_test::in_threads(owners, [&](std::size_t t) {
      for (void*& p : blocks[t]) p = std::malloc(40);
      // All at once, so that each has a heap of its own.
      for (++ready; ready != owners;) std::this_thread::yield();
    });
    mallard_test::in_threads(freers, [&](std::size_t t) {
      for (std::size_t i = t; i < blocks_each; i += freers) {
        for (const std::vector<void*>& of_one : blocks) {
          if (!free_keeps_errno(of_one[i])) ++changed;
        }
      }
    });
  }
  EXPECT_EQ(changed, 0);
}

// From some amount on they wait for their lock.
TEST(malloc_errno, free_keeps_it_when_threads_meet_at_the_blocks_of_a_sleeping_one) {
  constexpr std::size_t freers = 8;
  std::vector<void*> blocks(400'000);
  std::atomic<int> changed{0};
  std::latch is_filled(1);
  std::latch is_over(1);
  std::thread owner([&] {
    for (void*& p : blocks) p = std::malloc(32);
    is_filled.count_down();
    is_over.wait();
  });
  is_filled.wait();
  mallard_test::in_threads(freers, [&](std::size_t t) {
    for (std::size_t i = t; i < blocks.size(); i += freers) {
      if (!free_keeps_errno(blocks[i])) ++changed;
    }
  });
  is_over.count_down();
  owner.join();
  EXPECT_EQ(changed, 0);
}

TEST(malloc_errno, free_keeps_it_whosever_block_it_is_and_whoever_else_is_at_it) {
  std::vector<std::atomic<void*>> ring(2'048);
  std::atomic<int> changed{0};
  for (int turn = 0; turn < 40; ++turn) {
    mallard_test::in_threads(std::size_t{6}, [&](std::size_t t) {
      for (std::size_t i = 0; i < 4'000; ++i) {
        void* const p = allocate_some(i + 7 * t);
        if (i % 5 == 0) {
          if (!free_keeps_errno(p)) ++changed;
          continue;
        }
        // Mostly another thread's, often one that has ended.
        if (!free_keeps_errno(ring[(i * 37 + t) % ring.size()].exchange(p))) ++changed;
      }
    });
  }
  for (std::atomic<void*>& place : ring) {
    if (!free_keeps_errno(place.exchange(nullptr))) ++changed;
  }
  EXPECT_EQ(changed, 0);
}

}  // namespace
