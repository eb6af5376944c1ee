// Heaps that a program makes itself.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "mallard/malloc/malloc.h"
#include "malloc/workload.hpp"
#include "support/addresses.hpp"
#include "support/footprint.hpp"
#include "support/threads.hpp"
#include "support/units.hpp"

namespace {

using mallard_test::all_bytes_are;
using mallard_test::kib;
using mallard_test::mib;

struct owned_heap {
  mallard_heap* heap = mallard_heap_create();
  owned_heap() = default;
  owned_heap(const owned_heap&) = delete;
  owned_heap& operator=(const owned_heap&) = delete;
  ~owned_heap() { mallard_heap_destroy(heap); }
  void* allocate(std::size_t bytes, std::size_t alignment = 0) {
    return mallard_heap_allocate(heap, bytes, alignment);
  }
};

TEST(user_heap, blocks_of_all_sizes_and_alignments_can_be_used) {
  owned_heap h;
  ASSERT_NE(h.heap, nullptr);
  for (std::size_t bytes = 0; bytes <= 3000 * kib; bytes = bytes * 3 / 2 + 1) {
    for (std::size_t alignment = 0; alignment <= 64 * kib; alignment = alignment * 8 + 1) {
      if ((alignment & (alignment - 1)) != 0) continue;
      void* const p = h.allocate(bytes, alignment);
      ASSERT_NE(p, nullptr) << bytes << ' ' << alignment;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % std::max<std::size_t>(alignment, 16), 0u);
      EXPECT_GE(malloc_usable_size(p), bytes);
      std::memset(p, 0x5a, malloc_usable_size(p));
    }
  }
}

TEST(user_heap, threads_have_one_in_common_when_there_are_as_many_heaps_as_can_be) {
  std::vector<mallard_heap*> heaps;
  errno = 0;
  while (mallard_heap* const heap = mallard_heap_create()) heaps.push_back(heap);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_GT(heaps.size(), 60'000u);
  const auto use = [] {
    std::vector<std::vector<char>> blocks;
    for (std::size_t bytes = 1; bytes < 400 * kib; bytes += bytes / 7 + 1)
      blocks.emplace_back(bytes);
    EXPECT_TRUE(all_bytes_are(blocks.back().data(), blocks.back().size(), 0));
  };
  for (int i = 0; i < 4; ++i) std::thread(use).join();
  mallard_heap_destroy(heaps.back());
  heaps.back() = mallard_heap_create();
  EXPECT_NE(heaps.back(), nullptr);
  for (mallard_heap* const heap : heaps) mallard_heap_destroy(heap);
  std::thread(use).join();
}

TEST(user_heap, errors_are_told_by_null_and_errno) {
  owned_heap h;
  errno = 0;
  EXPECT_EQ(h.allocate(100, 24), nullptr);
  EXPECT_EQ(errno, EINVAL);
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 4096, std::size_t{PTRDIFF_MAX} + 1}) {
    errno = 0;
    EXPECT_EQ(h.allocate(bytes), nullptr);
    EXPECT_EQ(errno, ENOMEM);
  }
  mallard_heap_free(h.heap, nullptr);
  mallard_heap_destroy(nullptr);
}

TEST(user_heap, free_and_realloc_know_its_blocks) {
  owned_heap h;
  auto* p = static_cast<unsigned char*>(h.allocate(40));
  std::memset(p, 7, 40);
  for (const std::size_t bytes :
       {std::size_t{200}, 20 * kib, 400 * kib, 9000 * kib, 300 * kib, std::size_t{64}}) {
    p = static_cast<unsigned char*>(std::realloc(p, bytes));
    ASSERT_NE(p, nullptr);
    EXPECT_TRUE(all_bytes_are(p, 40, 7)) << bytes;
    EXPECT_EQ(mallard_heap_owns(h.heap, p), 1) << bytes;
  }
  std::free(p);
}

TEST(user_heap, the_other_ways_to_resize_a_block_leave_it_in_its_heap) {
  owned_heap h;
  for (const std::size_t bytes : {std::size_t{40}, 20 * kib, 400 * kib}) {
    for (const std::size_t to : {std::size_t{64}, 30 * kib, 1000 * kib}) {
      auto* p = static_cast<unsigned char*>(h.allocate(bytes));
      std::memset(p, 7, bytes);
      p = static_cast<unsigned char*>(mallard_aligned_realloc(p, 4096, to));
      ASSERT_NE(p, nullptr);
      EXPECT_TRUE(all_bytes_are(p, std::min(bytes, to), 7)) << bytes;
      EXPECT_EQ(mallard_heap_owns(h.heap, p), 1) << bytes << ' ' << to;
      void* const q = mallard_resize(p, bytes);
      EXPECT_EQ(mallard_heap_owns(h.heap, q), 1) << bytes << ' ' << to;
      void* const r = mallard_aligned_resize(q, 256, to);
      EXPECT_EQ(mallard_heap_owns(h.heap, r), 1) << bytes << ' ' << to;
    }
  }
}

TEST(user_heap, its_blocks_may_be_freed_with_their_size) {
  using free_type = void (*)(void*, std::size_t, std::size_t);
  const auto free_aligned_sized =
      reinterpret_cast<free_type>(dlsym(RTLD_DEFAULT, "free_aligned_sized"));
  ASSERT_NE(free_aligned_sized, nullptr);
  owned_heap h;
  for (std::size_t bytes = 0; bytes <= 20'000 * kib; bytes = bytes * 3 / 2 + 1) {
    for (std::size_t alignment = 16; alignment <= 1024 * kib; alignment *= 4) {
      void* const p = h.allocate(bytes, alignment);
      EXPECT_GE(malloc_usable_size(p), 1u);
      free_aligned_sized(p, alignment, bytes);
    }
  }
}

// As malloc.h and docs/malloc.md say.
TEST(user_heap, an_empty_one_takes_about_a_kib) {
  const std::size_t before = mallard_unfreed_bytes();
  const owned_heap h;
  const std::size_t bytes = mallard_unfreed_bytes() - before;
  EXPECT_GT(bytes, kib / 2);
  EXPECT_LE(bytes, 3 * kib / 2);
}

TEST(user_heap, its_blocks_count_as_in_use) {
  const std::size_t before = mallard_unfreed_bytes();
  {
    owned_heap h;
    for (int i = 0; i < 1000; ++i) h.allocate(1000);
    EXPECT_GE(mallard_unfreed_bytes(), before + 1'000'000);
    EXPECT_GE(mallinfo2().uordblks, 1'000'000u);
    h.allocate(5 * mib);
    EXPECT_GE(mallard_unfreed_bytes(), before + 6'000'000);
  }
  EXPECT_LT(mallard_unfreed_bytes(), before + 100'000);
}

TEST(user_heap, a_block_is_owned_by_the_heap_it_came_from) {
  owned_heap a;
  owned_heap b;
  for (const std::size_t bytes : {std::size_t{1}, 5 * kib, 1000 * kib}) {
    void* const p = a.allocate(bytes);
    EXPECT_EQ(mallard_heap_owns(a.heap, p), 1);
    EXPECT_EQ(mallard_heap_owns(b.heap, p), 0);
    void* const q = std::malloc(bytes);
    EXPECT_EQ(mallard_heap_owns(a.heap, q), 0);
    std::free(q);
  }
  EXPECT_EQ(mallard_heap_owns(a.heap, nullptr), 0);
}

TEST(user_heap, destroying_gives_back_what_is_in_use) {
  const std::size_t before = mallard_test::resident_bytes();
  for (int round = 0; round < 20; ++round) {
    owned_heap h;
    for (int i = 0; i < 20'000; ++i) std::memset(h.allocate(1000), 1, 1000);
    for (int i = 0; i < 10; ++i) std::memset(h.allocate(1000 * kib), 1, 1000 * kib);
  }
  EXPECT_LT(mallard_test::resident_bytes(), before + 40'000 * kib);
}

// From 300 KB to 3.3 MB by 1,000 bytes, which are 733 pages: copied each time, it would touch
// memory anew each time, 646,580 pages.
TEST(user_heap, a_large_block_grows_in_place) {
  owned_heap h;
  const long before = mallard_test::page_faults();
  std::size_t bytes = 300'000;
  auto* p = static_cast<char*>(h.allocate(bytes));
  for (; bytes < 3'300'000; bytes += 1000) {
    p = static_cast<char*>(std::realloc(p, bytes));
    ASSERT_NE(p, nullptr);
    p[bytes - 1] = 1;
  }
  EXPECT_LT(mallard_test::page_faults() - before, 5000);
}

TEST(user_heap, a_huge_block_grows_without_being_copied) {
  owned_heap h;
  auto* p = static_cast<char*>(h.allocate(10 * mib));
  p[0] = 7;
  const long before = mallard_test::page_faults();
  for (std::size_t bytes = 10 * mib; bytes < 60 * mib; bytes += 100 * kib) {
    p = static_cast<char*>(std::realloc(p, bytes));
    ASSERT_NE(p, nullptr);
    p[bytes - 1] = 1;
  }
  EXPECT_LT(mallard_test::page_faults() - before, 2000);
  EXPECT_EQ(p[0], 7);
  EXPECT_EQ(mallard_heap_owns(h.heap, p), 1);
}

// Each was a mapping of its own once, of which a process may have 65,530.
TEST(user_heap, more_large_blocks_fit_than_a_process_may_have_mappings) {
  EXPECT_EQ(malloc_test::exit_code_of([] {
              mallard_heap* const heap = mallard_heap_create();
              for (int i = 0; i < 70'000; ++i) {
                if (mallard_heap_allocate(heap, 300 * kib, 0) == nullptr) _exit(1);
              }
              mallard_heap_destroy(heap);
            }),
            0);
}

TEST(user_heap, what_its_large_blocks_leave_is_used_again_and_given_back) {
  owned_heap h;
  const std::size_t before = mallard_test::resident_bytes();
  for (int round = 0; round < 30; ++round) {
    void* blocks[20];
    for (void*& p : blocks) std::memset(p = h.allocate(500 * kib), 1, 500 * kib);
    for (void* p : blocks) std::free(p);
  }
  malloc_trim(0);
  EXPECT_LT(mallard_test::resident_bytes(), before + 2 * mib);
}

TEST(user_heap, many_come_and_go) {
  for (int i = 0; i < 100'000; ++i) {
    owned_heap h;
    ASSERT_NE(h.heap, nullptr);
    std::memset(h.allocate(64), 1, 64);
  }
  std::vector<mallard_heap*> heaps;
  for (int i = 0; i < 1000; ++i) heaps.push_back(mallard_heap_create());
  for (mallard_heap* heap : heaps) ASSERT_NE(mallard_heap_allocate(heap, 100, 0), nullptr);
  for (mallard_heap* heap : heaps) mallard_heap_destroy(heap);
}

TEST(user_heap, threads_may_share_one) {
  owned_heap h;
  mallard_test::in_threads(4u, [&h](unsigned t) {
    std::mt19937 random(t);
    std::vector<std::pair<unsigned char*, std::size_t>> live;
    for (int i = 0; i < 20'000; ++i) {
      if (live.size() > 100 || (random() % 2 == 0 && !live.empty())) {
        const std::size_t at = random() % live.size();
        const auto [p, bytes] = live[at];
        ASSERT_TRUE(all_bytes_are(p, bytes, static_cast<unsigned char>(bytes % 251)));
        std::free(p);
        live[at] = live.back();
        live.pop_back();
      } else {
        const std::size_t bytes = random() % 2000;
        auto* const p = static_cast<unsigned char*>(h.allocate(bytes));
        ASSERT_NE(p, nullptr);
        std::memset(p, static_cast<int>(bytes % 251), bytes);
        live.emplace_back(p, bytes);
      }
    }
  });
}

// Whatever the handler interrupts, destructors that use heaps meet no lock of its thread.
TEST(user_heap, a_signal_handler_may_end_the_process) {
  static mallard_heap* heap = nullptr;
  for (int i = 0; i < 20; ++i) {
    const int code = malloc_test::exit_code_of([i] {
      heap = mallard_heap_create();
      std::atexit([] {
        std::free(mallard_heap_allocate(heap, 100, 0));
        std::free(mallard_heap_allocate(heap, 400 * kib, 0));
        mallard_heap_destroy(heap);
        mallard_heap_destroy(mallard_heap_create());
        _exit(5);
      });
      signal(SIGPROF, [](int) { std::exit(5); });
      const itimerval once{{0, 0}, {0, 1000 + 100 * i}};
      setitimer(ITIMER_PROF, &once, nullptr);
      for (std::size_t n = 0;; n = (n + 4801) % (300 * kib)) {
        mallard_heap_free(heap, mallard_heap_allocate(heap, n, 0));
      }
    });
    ASSERT_EQ(code, 5) << i;
  }
}

TEST(user_heap, a_fork_while_threads_allocate_does_not_lock_the_child) {
  owned_heap h;
  const auto use = [&] { mallard_heap_free(h.heap, h.allocate(100)); };
  const mallard_test::busy_threads busy(1, use);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(malloc_test::exit_code_of(use), 0);
}

TEST(user_heap, where_addresses_are_limited_gets_what_malloc_has_freed) {
  constexpr std::size_t room = 300 * mib;
  EXPECT_EQ(malloc_test::exit_code_of([] {
              const owned_heap h;
              mallard_test::allow_more_addresses(room);
              void** blocks = nullptr;
              while (auto* const p = static_cast<void**>(std::malloc(2000))) {
                *p = blocks;
                blocks = p;
              }
              while (blocks != nullptr)
                std::free(std::exchange(blocks, static_cast<void**>(*blocks)));
              for (const std::size_t wanted : {room / 2, 40 * mib, 100 * kib}) {
                if (mallard_heap_allocate(h.heap, wanted, 0) == nullptr) _exit(2);
              }
            }),
            0);
}

}  // namespace
