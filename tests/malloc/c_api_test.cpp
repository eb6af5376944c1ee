// The functions of C, POSIX and glibc, of the process's malloc.
#include <dlfcn.h>
#include <errno.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "malloc/expected_file.hpp"
#include "support/addresses.hpp"
#include "support/footprint.hpp"
#include "support/units.hpp"

namespace {

// Sizes that compilers would warn of, or reckon with.
std::size_t opaque(std::size_t n) {
  volatile std::size_t out = n;
  return out;
}

// A pointer that compilers take for another: after a realloc that failed it is still good.
void* kept(void* p) {
  void* volatile out = p;
  return out;
}

using mallard_test::kib;
using mallard_test::mib;
using mallard_test::resident_bytes;

// Blocks of every kind, about its ends.
const std::vector<std::size_t>& some_sizes() {
  static const std::vector<std::size_t> sizes = {
      1,           15,      16,        17,        64,        100,     1000,
      1024,        1025,    4000,      5000,      16384,     32768,   32769,
      65536,       65537,   100 * kib, 200 * kib, 300 * kib, 1 * mib, 4 * mib - 1,
      8 * mib - 1, 8 * mib, 9 * mib,   40 * mib,  70 * mib};
  return sizes;
}

const std::vector<std::size_t>& impossible_sizes() {
  static const std::vector<std::size_t> sizes = [] {
    std::vector<std::size_t> out = {PTRDIFF_MAX, std::size_t{PTRDIFF_MAX} + 1, SIZE_MAX / 2 + 2};
    for (std::size_t n = 0; n <= 64; ++n) out.push_back(SIZE_MAX - n);
    for (std::size_t n = 128; n <= 128 * mib; n *= 2) {
      out.insert(out.end(), {SIZE_MAX - n, SIZE_MAX - n + 1, PTRDIFF_MAX - n});
    }
    return out;
  }();
  return sizes;
}

using mallard_test::all_bytes_are;
using mallard_test::is_aligned;

void expect_enomem(void* p, const char* what, std::size_t n) {
  EXPECT_EQ(p, nullptr) << what << "(" << n << ")";
  EXPECT_EQ(errno, ENOMEM) << what << "(" << n << ")";
  errno = 0;
}

TEST(malloc_c_api, is_of_mallard) {
  // Or all other tests are about another malloc.
  Dl_info info{};
  ASSERT_NE(dladdr(dlsym(RTLD_DEFAULT, "malloc"), &info), 0);
  EXPECT_NE(std::string(info.dli_fname).find(malloc_test::expected_file), std::string::npos)
      << info.dli_fname;
}

TEST(malloc_c_api, blocks_of_all_sizes_are_aligned_to_16_and_as_large_as_asked_for) {
  for (std::size_t bytes = 0; bytes < 140'000; bytes += bytes < 5000 ? 1 : 97) {
    void* const p = std::malloc(bytes);
    ASSERT_NE(p, nullptr);
    ASSERT_TRUE(is_aligned(p, 16)) << bytes;
    ASSERT_GE(malloc_usable_size(p), bytes);
    std::memset(p, 0xa5, malloc_usable_size(p));
    std::free(p);
  }
}

TEST(malloc_c_api, blocks_of_no_bytes_are_different_blocks) {
  std::set<void*> blocks;
  for (int i = 0; i < 100; ++i) {
    blocks.insert(std::malloc(0));
    blocks.insert(std::calloc(0, 8));
    blocks.insert(std::calloc(8, 0));
    blocks.insert(aligned_alloc(64, 0));
    blocks.insert(std::realloc(nullptr, 0));
    blocks.insert(valloc(0));
    blocks.insert(pvalloc(0));
  }
  EXPECT_EQ(blocks.size(), 700u);
  EXPECT_EQ(blocks.count(nullptr), 0u);
  for (void* p : blocks) std::free(p);
}

TEST(malloc_c_api, impossible_sizes_fail_with_enomem) {
  for (const std::size_t n : impossible_sizes()) {
    errno = 0;
    expect_enomem(std::malloc(opaque(n)), "malloc", n);
    expect_enomem(std::calloc(1, opaque(n)), "calloc", n);
    expect_enomem(std::calloc(opaque(n), 1), "calloc", n);
    expect_enomem(std::realloc(nullptr, opaque(n)), "realloc", n);
    expect_enomem(reallocarray(nullptr, 1, opaque(n)), "reallocarray", n);
    expect_enomem(valloc(opaque(n)), "valloc", n);
    expect_enomem(pvalloc(opaque(n)), "pvalloc", n);
    for (const std::size_t alignment : {16ul, 64ul, 4096ul, 65536ul, 32 * mib}) {
      expect_enomem(aligned_alloc(alignment, opaque(n)), "aligned_alloc", n);
      expect_enomem(memalign(alignment, opaque(n)), "memalign", n);
      void* p = &p;
      errno = EDOM;
      EXPECT_EQ(posix_memalign(&p, alignment, opaque(n)), ENOMEM);
      EXPECT_EQ(p, &p);
      EXPECT_EQ(errno, EDOM) << n;
    }
  }
}

TEST(malloc_c_api, products_that_overflow_fail) {
  constexpr std::size_t half = SIZE_MAX / 2 + 2;
  errno = 0;
  expect_enomem(std::calloc(opaque(half), 2), "calloc", half);
  expect_enomem(std::calloc(2, opaque(half)), "calloc", half);
  expect_enomem(std::calloc(opaque(SIZE_MAX), opaque(SIZE_MAX)), "calloc", SIZE_MAX);
  expect_enomem(std::calloc(std::size_t{1} << 32, opaque(std::size_t{1} << 32)), "calloc", 0);
  expect_enomem(reallocarray(nullptr, opaque(half), 2), "reallocarray", half);
  void* const p = std::malloc(10);
  std::memset(p, 7, 10);
  expect_enomem(reallocarray(kept(p), opaque(half), 2), "reallocarray", half);
  EXPECT_TRUE(all_bytes_are(p, 10, 7));
  std::free(p);
}

TEST(malloc_c_api, a_realloc_that_fails_leaves_the_block) {
  for (const std::size_t bytes : some_sizes()) {
    void* const p = std::malloc(bytes);
    std::memset(p, 0x5a, bytes);
    for (const std::size_t n : impossible_sizes()) {
      errno = 0;
      expect_enomem(std::realloc(kept(p), opaque(n)), "realloc", n);
    }
    EXPECT_TRUE(all_bytes_are(p, bytes, 0x5a)) << bytes;
    std::free(p);
  }
}

TEST(malloc_c_api, alignments_are_given) {
  for (std::size_t alignment = 8; alignment <= 1024 * mib; alignment *= 2) {
    for (const std::size_t bytes :
         {0ul, 1ul, 8ul, 24ul, 100ul, 1000ul, 5000ul, 40'000ul, 300'000ul, 9'000'000ul}) {
      void* blocks[4] = {aligned_alloc(alignment, bytes), memalign(alignment, bytes), nullptr,
                         nullptr};
      ASSERT_EQ(posix_memalign(&blocks[2], alignment, bytes), 0);
      ASSERT_EQ(posix_memalign(&blocks[3], alignment, bytes), 0);
      for (void* p : blocks) {
        ASSERT_NE(p, nullptr) << alignment << " " << bytes;
        EXPECT_TRUE(is_aligned(p, alignment)) << alignment << " " << bytes;
        EXPECT_GE(malloc_usable_size(p), bytes);
        std::memset(p, 1, bytes);
      }
      for (void* p : blocks) std::free(p);
    }
  }
}

TEST(malloc_c_api, blocks_of_large_alignments_grow_shrink_and_tell_their_size) {
  for (const std::size_t alignment : {64 * mib, 128 * mib, 1024 * mib}) {
    for (const std::size_t bytes : {std::size_t{1}, 5'000ul, 3 * mib, 70 * mib}) {
      auto* p = static_cast<unsigned char*>(aligned_alloc(alignment, bytes));
      ASSERT_TRUE(p != nullptr && is_aligned(p, alignment)) << alignment << " " << bytes;
      EXPECT_GE(malloc_usable_size(p), bytes);
      p[0] = 1;
      p[bytes - 1] = 2;
      for (const std::size_t next : {2 * bytes, 20 * bytes, bytes, bytes / 3 + 1}) {
        p = static_cast<unsigned char*>(std::realloc(p, next));
        ASSERT_NE(p, nullptr) << alignment << " " << bytes << " " << next;
        EXPECT_EQ(p[0], bytes == 1 ? 2 : 1);
        p[next - 1] = bytes == 1 ? 2 : 1;
        EXPECT_GE(malloc_usable_size(p), next);
      }
      std::free(p);
    }
  }
}

TEST(malloc_c_api, alignments_too_large_fail) {
  for (std::size_t alignment = std::size_t{1} << 40; alignment != 0; alignment *= 2) {
    errno = 0;
    expect_enomem(aligned_alloc(opaque(alignment), 1), "aligned_alloc", alignment);
    void* p = nullptr;
    EXPECT_EQ(posix_memalign(&p, opaque(alignment), 100), ENOMEM);
  }
}

TEST(malloc_c_api, what_is_no_alignment_is_refused) {
  for (const std::size_t alignment : {0ul, 3ul, 24ul, 48ul, 100ul, 4095ul, SIZE_MAX}) {
    errno = 0;
    EXPECT_EQ(aligned_alloc(opaque(alignment), 100), nullptr) << alignment;
    EXPECT_EQ(errno, EINVAL) << alignment;
  }
  for (const std::size_t alignment : {0ul, 1ul, 2ul, 4ul, 12ul, 24ul, 100ul, SIZE_MAX}) {
    errno = 0;
    void* p = &p;
    EXPECT_EQ(posix_memalign(&p, opaque(alignment), 100), EINVAL) << alignment;
    EXPECT_EQ(p, &p);
    EXPECT_EQ(errno, 0);  // POSIX: the function returns its error, and nothing else
  }
}

TEST(malloc_c_api, memalign_takes_the_next_power_of_two) {
  void* const p = memalign(opaque(24), 10);
  EXPECT_TRUE(is_aligned(p, 32));
  void* const q = memalign(opaque(3000), 10);
  EXPECT_TRUE(is_aligned(q, 4096));
  std::free(p);
  std::free(q);
  errno = 0;
  EXPECT_EQ(memalign(opaque(SIZE_MAX), 10), nullptr);
  EXPECT_EQ(errno, EINVAL);
  // An alignment, but nothing has it.
  errno = 0;
  EXPECT_EQ(memalign(opaque(SIZE_MAX / 2 + 1), 10), nullptr);
  EXPECT_EQ(errno, ENOMEM);
}

TEST(malloc_c_api, valloc_and_pvalloc_give_pages) {
  void* const p = valloc(10);
  EXPECT_TRUE(is_aligned(p, 4096));
  void* const q = pvalloc(4097);
  EXPECT_TRUE(is_aligned(q, 4096));
  EXPECT_GE(malloc_usable_size(q), 8192u);
  std::free(p);
  std::free(q);
}

TEST(malloc_c_api, free_keeps_errno) {
  for (const std::size_t bytes : some_sizes()) {
    std::vector<void*> blocks;
    for (int i = 0; i < 3; ++i) blocks.push_back(std::malloc(bytes));
    errno = 4711;
    for (void* p : blocks) std::free(p);
    std::free(nullptr);
    EXPECT_EQ(errno, 4711) << bytes;
  }
}

TEST(malloc_c_api, realloc_keeps_the_contents_from_any_size_to_any_other) {
  for (const std::size_t from : some_sizes()) {
    for (const std::size_t to : some_sizes()) {
      auto* p = static_cast<unsigned char*>(std::malloc(from));
      for (std::size_t i = 0; i < from; i += i < 5000 ? 1 : 701) {
        p[i] = static_cast<unsigned char>(i % 251);
      }
      p = static_cast<unsigned char*>(std::realloc(p, to));
      ASSERT_NE(p, nullptr);
      ASSERT_TRUE(is_aligned(p, 16));
      ASSERT_GE(malloc_usable_size(p), to);
      const std::size_t kept = std::min(from, to);
      for (std::size_t i = 0; i < kept; i += i < 5000 ? 1 : 701) {
        ASSERT_EQ(p[i], i % 251) << from << " -> " << to << " at " << i;
      }
      p[to - 1] = 1;
      std::free(p);
    }
  }
}

// Also where the larger size is none of a class, and the smaller one is.
TEST(malloc_c_api, realloc_to_a_little_less_and_back_does_not_copy) {
  for (const std::size_t bytes : {1'100u, 33'000u, 270'000u, 3'000'000u, 20'000'000u}) {
    void* const first = std::realloc(nullptr, bytes);
    void* p = first;
    for (int turn = 0; turn < 10; ++turn) {
      p = std::realloc(p, bytes - bytes / 10);
      p = std::realloc(p, bytes);
    }
    EXPECT_EQ(p, first) << bytes;
    std::free(p);
  }
}

TEST(malloc_c_api, realloc_of_null_allocates_and_to_no_bytes_frees) {
  void* const p = std::realloc(nullptr, 100);
  ASSERT_NE(p, nullptr);
  errno = 0;
  EXPECT_EQ(std::realloc(p, opaque(0)), nullptr);
  EXPECT_EQ(errno, 0);  // not an error
}

TEST(malloc_c_api, reallocarray_grows_arrays) {
  auto* p = static_cast<int*>(reallocarray(nullptr, 10, sizeof(int)));
  for (int i = 0; i < 10; ++i) p[i] = i;
  p = static_cast<int*>(reallocarray(p, 100'000, sizeof(int)));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(p[i], i);
  std::free(p);
}

TEST(malloc_c_api, calloc_zeroes_memory_that_was_used_before) {
  for (const std::size_t bytes : some_sizes()) {
    for (int turn = 0; turn < 4; ++turn) {
      void* blocks[3] = {std::malloc(bytes), std::malloc(bytes), std::malloc(bytes)};
      for (void* p : blocks) std::memset(p, 0xff, malloc_usable_size(p));
      for (void* p : blocks) std::free(p);
      for (void*& p : blocks) {
        p = std::calloc(turn % 2 == 0 ? 1 : bytes, turn % 2 == 0 ? bytes : 1);
        ASSERT_TRUE(all_bytes_are(p, bytes, 0)) << bytes;
      }
      for (void* p : blocks) std::free(p);
    }
  }
}

TEST(malloc_c_api, asking_for_the_usable_size_changes_nothing) {
  EXPECT_EQ(malloc_usable_size(nullptr), 0u);
  for (const std::size_t bytes : some_sizes()) {
    auto* p = static_cast<unsigned char*>(std::calloc(1, bytes));
    const std::size_t usable = malloc_usable_size(p);
    EXPECT_TRUE(all_bytes_are(p, bytes, 0));
    EXPECT_EQ(malloc_usable_size(p), usable);
    std::free(p);
  }
}

TEST(malloc_c_api, realloc_keeps_all_that_was_usable) {
  for (const std::size_t bytes : some_sizes()) {
    auto* p = static_cast<unsigned char*>(std::malloc(bytes));
    const std::size_t usable = malloc_usable_size(p);
    std::memset(p, 0x77, usable);
    p = static_cast<unsigned char*>(std::realloc(p, usable + 1));
    EXPECT_TRUE(all_bytes_are(p, usable, 0x77)) << bytes;
    std::free(p);
  }
}

TEST(malloc_c_api, trim_gives_memory_back) {
  malloc_trim(0);
  const std::size_t before = resident_bytes();
  std::vector<void*> blocks(40'000);
  for (void*& p : blocks) {
    p = std::malloc(1000);
    std::memset(p, 1, 1000);
  }
  for (int i = 0; i < 100; ++i) {
    blocks.push_back(std::malloc(300 * kib));
    std::memset(blocks.back(), 1, 300 * kib);
  }
  EXPECT_GT(resident_bytes(), before + 60 * mib);
  for (void* p : blocks) std::free(p);
  EXPECT_LE(malloc_trim(0), 1);
  EXPECT_LT(resident_bytes(), before + 4 * mib);
  void* const p = std::malloc(1000);
  ASSERT_NE(p, nullptr);
  std::memset(p, 1, 1000);
  std::free(p);
}

TEST(malloc_c_api, the_other_frees_free) {
  using free_type = void (*)(void*);
  using free_sized_type = void (*)(void*, std::size_t);
  using free_aligned_sized_type = void (*)(void*, std::size_t, std::size_t);
  const auto cfree = reinterpret_cast<free_type>(dlsym(RTLD_DEFAULT, "cfree"));
  const auto free_sized = reinterpret_cast<free_sized_type>(dlsym(RTLD_DEFAULT, "free_sized"));
  const auto free_aligned_sized =
      reinterpret_cast<free_aligned_sized_type>(dlsym(RTLD_DEFAULT, "free_aligned_sized"));
  ASSERT_NE(cfree, nullptr);
  ASSERT_NE(free_sized, nullptr);
  ASSERT_NE(free_aligned_sized, nullptr);
  for (const std::size_t bytes : some_sizes()) {
    // A freed block is handed out again: the second block is the first one's memory.
    for (int turn = 0; turn < 100; ++turn) {
      cfree(std::malloc(bytes));
      free_sized(std::malloc(bytes), bytes);
      free_aligned_sized(aligned_alloc(128, bytes), 128, bytes);
    }
  }
  // The block of no bytes is one of a byte, whatever its alignment.
  for (std::size_t alignment = 16; alignment <= 1024 * mib; alignment *= 2) {
    free_aligned_sized(aligned_alloc(alignment, 0), alignment, 0);
  }
  cfree(nullptr);
  free_sized(nullptr, 0);
  free_aligned_sized(nullptr, 64, 64);
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  EXPECT_LT(use.ru_maxrss, 600 * 1024);  // KiB; the loops allocated 40 GiB
}

// Where blocks of this size are that are freed one after the other.
std::size_t places_of(std::size_t bytes) {
  std::set<void*> places;
  for (int i = 0; i < 10'000; ++i) {
    void* const p = std::malloc(bytes);
    *static_cast<volatile char*>(p) = 1;
    places.insert(p);
    std::free(p);
  }
  return places.size();
}

TEST(malloc_c_api, memory_is_used_again) {
  for (const std::size_t bytes : some_sizes()) {
    if (bytes > 256 * kib) continue;
    EXPECT_LT(places_of(bytes), 100u) << bytes;
  }
}

TEST(malloc_c_api, addresses_of_large_blocks_are_used_again) {
  for (const std::size_t bytes : some_sizes()) {
    if (bytes <= 256 * kib || bytes > mib) continue;
    EXPECT_LT(places_of(bytes), 100u) << bytes;
  }
}

TEST(malloc_c_api, memory_of_large_blocks_is_used_again) {
  for (const std::size_t bytes : some_sizes()) {
    if (bytes <= 256 * kib || bytes > mib) continue;
    const std::size_t resident = resident_bytes();
    places_of(bytes);
    EXPECT_LT(resident_bytes(), resident + mib) << bytes;
  }
}

}  // namespace
