// The verbs of mallard/malloc/malloc.h that give memory, by llheap's names for them.
#include <errno.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "mallard/malloc/llheap_names.h"
#include "support/addresses.hpp"

namespace {

constexpr std::size_t sizes[] = {1, 16, 100, 1000, 5'000, 40'000, 300'000, 2'000'000, 9'000'000};
constexpr std::size_t alignments[] = {1, 8, 16, 64, 4096, 1 << 20};

std::size_t opaque(std::size_t n) {
  volatile std::size_t out = n;
  return out;
}

using mallard_test::all_bytes_are;
using mallard_test::is_aligned;

TEST(malloc_arrays, are_as_large_as_their_elements_together) {
  for (const std::size_t bytes : sizes) {
    void* const p = aalloc(3, bytes);
    EXPECT_GE(malloc_usable_size(p), 3 * bytes);
    std::memset(p, 0xff, 3 * bytes);
    std::free(p);
    for (const std::size_t alignment : alignments) {
      void* const q = amemalign(alignment, 3, bytes);
      EXPECT_TRUE(is_aligned(q, alignment));
      std::memset(q, 0xff, 3 * bytes);
      std::free(q);
      void* const zeroed = cmemalign(alignment, 3, bytes);
      EXPECT_TRUE(is_aligned(zeroed, alignment));
      EXPECT_TRUE(all_bytes_are(zeroed, 3 * bytes, 0));
      std::free(zeroed);
    }
  }
}

TEST(malloc_arrays, whose_bytes_overflow_fail) {
  const std::size_t half = opaque(SIZE_MAX / 2 + 2);
  const auto expect_enomem = [](void* p) {
    EXPECT_EQ(p, nullptr);
    EXPECT_EQ(errno, ENOMEM);
    errno = 0;
  };
  errno = 0;
  expect_enomem(aalloc(half, 2));
  expect_enomem(amemalign(64, half, 2));
  expect_enomem(cmemalign(64, half, 2));
  expect_enomem(resizearray(nullptr, half, 2));
  expect_enomem(aligned_resizearray(nullptr, 64, half, 2));
  expect_enomem(aligned_reallocarray(nullptr, 64, half, 2));
  void* p = aalloc(2, 50);
  void* const before = p;
  std::memset(p, 3, 100);
  EXPECT_EQ(posix_reallocarray(&p, half, 2), ENOMEM);
  EXPECT_EQ(posix_aligned_reallocarray(&p, 64, half, 2), ENOMEM);
  EXPECT_EQ(errno, 0);
  EXPECT_EQ(p, before);
  EXPECT_TRUE(all_bytes_are(p, 100, 3));
  std::free(p);
}

TEST(malloc_arrays, what_is_no_alignment_is_refused) {
  for (const std::size_t alignment : {0ul, 3ul, 24ul}) {
    void* p = std::malloc(10);
    void* const before = p;
    EXPECT_EQ(posix_aligned_realloc(&p, alignment, 20), EINVAL);
    EXPECT_EQ(p, before);
    std::free(p);
    errno = 0;
    EXPECT_EQ(aligned_realloc(nullptr, alignment, 20), nullptr);
    EXPECT_EQ(errno, EINVAL);
    errno = 0;
    EXPECT_EQ(amemalign(alignment, 2, 20), nullptr);
    EXPECT_EQ(errno, EINVAL);
  }
}

TEST(malloc_arrays, realloc_keeps_contents_and_gives_the_alignment) {
  for (const std::size_t from : sizes) {
    for (const std::size_t to : sizes) {
      for (const std::size_t alignment : alignments) {
        void* p = std::malloc(from);
        std::memset(p, 0x42, from);
        if (from % 3 == 0) {
          p = aligned_realloc(p, alignment, to);
        } else {
          ASSERT_EQ(posix_aligned_realloc(&p, alignment, to), 0);
        }
        ASSERT_TRUE(is_aligned(p, alignment));
        ASSERT_GE(malloc_usable_size(p), to);
        ASSERT_TRUE(all_bytes_are(p, std::min(from, to), 0x42)) << from << " -> " << to;
        std::free(p);
      }
    }
  }
}

TEST(malloc_arrays, resize_gives_a_block_of_the_size_whatever_there_was) {
  for (const std::size_t from : sizes) {
    for (const std::size_t to : sizes) {
      void* p = resize(std::malloc(from), to);
      ASSERT_GE(malloc_usable_size(p), to);
      std::memset(p, 1, to);
      p = aligned_resize(p, 4096, from);
      ASSERT_TRUE(is_aligned(p, 4096));
      ASSERT_GE(malloc_usable_size(p), from);
      std::memset(p, 1, from);
      std::free(p);
    }
  }
}

TEST(malloc_arrays, to_no_bytes_means_free) {
  EXPECT_EQ(resize(std::malloc(100), 0), nullptr);
  EXPECT_EQ(aligned_resize(std::malloc(100), 64, 0), nullptr);
  EXPECT_EQ(aligned_realloc(std::malloc(100), 64, 0), nullptr);
  void* p = std::malloc(100);
  EXPECT_EQ(posix_realloc(&p, 0), 0);
  EXPECT_EQ(p, nullptr);
}

TEST(malloc_queries, alignment_is_that_of_the_address) {
  EXPECT_EQ(malloc_alignment(nullptr), 0u);
  void* const p = std::aligned_alloc(256, 256);
  EXPECT_GE(malloc_alignment(p), 256u);
  EXPECT_TRUE(is_aligned(p, malloc_alignment(p)));
  EXPECT_FALSE(is_aligned(p, 2 * malloc_alignment(p)));
  std::free(p);
}

TEST(malloc_queries, remote_are_blocks_of_other_threads) {
  void* const mine = std::malloc(32);  // larger ones may have come from others
  void* const large = std::malloc(20 << 20);
  EXPECT_EQ(malloc_remote(mine), 0);
  EXPECT_EQ(malloc_remote(large), 0);
  EXPECT_EQ(malloc_remote(nullptr), 0);
  std::thread([&] {
    // Enough for the thread to have a heap of its own.
    for (int i = 0; i < 1000; ++i) std::free(std::malloc(32));
    EXPECT_EQ(malloc_remote(mine), 1);
    EXPECT_EQ(malloc_remote(large), 0);
  }).join();
  std::free(mine);
  std::free(large);
}

TEST(malloc_queries, unfreed_bytes_are_those_in_use) {
  const std::size_t before = malloc_unfreed();
  void* const p = std::malloc(20 << 20);
  EXPECT_GE(malloc_unfreed(), before + (20u << 20));
  std::free(p);
  EXPECT_LE(malloc_unfreed(), before);
}

std::string malloc_stats_text() {
  int fds[2] = {-1, -1};
  if (pipe(fds) != 0) return "pipe failed";
  const int old = malloc_stats_fd(fds[1]);
  malloc_stats();
  EXPECT_EQ(malloc_stats_fd(old), fds[1]);
  EXPECT_EQ(old, STDERR_FILENO);
  close(fds[1]);
  std::string text(65536, '\0');
  const ssize_t n = read(fds[0], text.data(), text.size());
  close(fds[0]);
  text.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  return text;
}

TEST(malloc_queries, malloc_stats_writes_where_and_what_it_is_told) {
  const std::string all = malloc_stats_text();
  EXPECT_NE(all.find("mallard: in use "), all.npos) << all;
  EXPECT_NE(all.find("mallard: blocks of "), all.npos) << all;
  EXPECT_EQ(malloc_stats_all(0), 1);
  const std::string sums = malloc_stats_text();
  EXPECT_EQ(malloc_stats_all(1), 0);
  EXPECT_NE(sums.find("mallard: in use "), sums.npos) << sums;
  EXPECT_EQ(sums.find("mallard: blocks of "), sums.npos) << sums;
}

}  // namespace
