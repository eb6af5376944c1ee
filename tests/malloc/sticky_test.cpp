// Blocks of the sticky build remember how they were asked for, and realloc keeps to it.
#include <errno.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "mallard/malloc/llheap_names.h"
#include "support/addresses.hpp"
#include "support/choices.hpp"
#include "support/seeds.hpp"

namespace {

// Sizes of every kind of block, and about the ends of size classes, where the record needs the next
// one.
constexpr std::size_t sizes[] = {0,       1,       7,         8,       9,         15,      16,
                                 24,      25,      100,       120,     121,       1000,    1024,
                                 4096,    32'760,  32'761,    32'768,  65'536,    262'136, 262'137,
                                 262'144, 300'000, 2'000'000, 8 << 20, 9'000'000, 20 << 20};
constexpr std::size_t alignments[] = {16, 64, 4096, 1 << 20};

using mallard_test::all_bytes_are;
using mallard_test::is_aligned;

void expect_remembered(const void* p, std::size_t request, std::size_t alignment, int zero_fill) {
  ASSERT_NE(p, nullptr);
  ASSERT_EQ(malloc_request_size(p), request);
  ASSERT_EQ(malloc_alignment(p), alignment) << request;
  ASSERT_EQ(malloc_zero_fill(p), zero_fill) << request;
  ASSERT_TRUE(is_aligned(p, alignment)) << request;
  ASSERT_GE(malloc_usable_size(const_cast<void*>(p)), request);
}

void dirty(void* p) {
  std::memset(p, 0xdd, malloc_usable_size(p));
}

void expect_remembered_and_free(void* p, std::size_t request, std::size_t alignment,
                                int zero_fill) {
  expect_remembered(p, request, alignment, zero_fill);
  if (p == nullptr) return;
  dirty(p);  // the record is not in what is usable
  expect_remembered(p, request, alignment, zero_fill);
  std::free(p);
}

TEST(sticky_malloc, every_function_of_c_records_what_it_was_asked_for) {
  for (const std::size_t n : sizes) {
    expect_remembered_and_free(std::malloc(n), n, 16, 0);
    expect_remembered_and_free(std::calloc(1, n), n, 16, 1);
    expect_remembered_and_free(std::calloc(n, 1), n, 16, 1);
    expect_remembered_and_free(std::realloc(nullptr, n), n, 16, 0);
    expect_remembered_and_free(reallocarray(nullptr, 3, n), 3 * n, 16, 0);
    expect_remembered_and_free(aligned_alloc(8, n), n, 16, 0);
    expect_remembered_and_free(valloc(n), n, 4096, 0);
    expect_remembered_and_free(pvalloc(n), (n + 4095) / 4096 * 4096, 4096, 0);
    for (const std::size_t alignment : alignments) {
      expect_remembered_and_free(aligned_alloc(alignment, n), n, alignment, 0);
      expect_remembered_and_free(memalign(alignment - 1, n), n, alignment, 0);
      void* p = nullptr;
      ASSERT_EQ(posix_memalign(&p, alignment, n), 0);
      expect_remembered_and_free(p, n, alignment, 0);
    }
  }
}

TEST(sticky_malloc, the_verbs_of_llheap_record_what_they_were_asked_for) {
  for (const std::size_t n : sizes) {
    expect_remembered_and_free(aalloc(3, n), 3 * n, 16, 0);
    expect_remembered_and_free(resize(nullptr, n), n, 16, 0);
    void* p = nullptr;
    ASSERT_EQ(posix_realloc(&p, n), 0);
    expect_remembered_and_free(p, n, 16, 0);
    for (const std::size_t alignment : alignments) {
      expect_remembered_and_free(amemalign(alignment, 3, n), 3 * n, alignment, 0);
      void* const zeroed = cmemalign(alignment, 3, n);
      ASSERT_TRUE(all_bytes_are(zeroed, 0, 3 * n, 0)) << n;
      expect_remembered_and_free(zeroed, 3 * n, alignment, 1);
      expect_remembered_and_free(aligned_resize(nullptr, alignment, n), n, alignment, 0);
      expect_remembered_and_free(aligned_realloc(nullptr, alignment, n), n, alignment, 0);
      p = nullptr;
      ASSERT_EQ(posix_aligned_realloc(&p, alignment, n), 0);
      expect_remembered_and_free(p, n, alignment, 0);
    }
  }
}

TEST(sticky_malloc, operator_new_records_what_it_was_asked_for) {
  for (const std::size_t n : sizes) {
    void* p = operator new(n);
    expect_remembered(p, n, 16, 0);
    operator delete(p, n);
    p = operator new[](n, std::nothrow);
    expect_remembered(p, n, 16, 0);
    operator delete[](p);
    p = operator new(n, std::align_val_t{256});
    expect_remembered(p, n, 256, 0);
    operator delete(p, n, std::align_val_t{256});
  }
}

TEST(sticky_malloc, blocks_of_a_heap_are_recorded_too_and_stay_in_it) {
  mallard_heap* const heap = mallard_heap_create();
  for (const std::size_t n : sizes) {
    for (const std::size_t alignment : {0ul, 8ul, 64ul, 4096ul}) {
      const std::size_t aligned_to = std::max<std::size_t>(alignment, 16);
      void* p = mallard_heap_allocate(heap, n, alignment);
      dirty(p);
      expect_remembered(p, n, aligned_to, 0);
      p = std::realloc(p, 2 * n + 1);
      expect_remembered(p, 2 * n + 1, aligned_to, 0);
      ASSERT_EQ(mallard_heap_owns(heap, p), 1);
      ASSERT_TRUE(all_bytes_are(p, 0, n, 0xdd));
      dirty(p);
      mallard_heap_free(heap, p);
    }
  }
  mallard_heap_destroy(heap);
}

TEST(sticky_malloc, of_null_there_is_nothing_to_tell) {
  EXPECT_EQ(malloc_request_size(nullptr), 0u);
  EXPECT_EQ(malloc_zero_fill(nullptr), 0);
  EXPECT_EQ(malloc_alignment(nullptr), 0u);
  EXPECT_EQ(malloc_usable_size(nullptr), 0u);
}

TEST(sticky_malloc,
     what_realloc_adds_to_a_zeroed_block_is_zero_after_all_that_was_usable_was_written) {
  for (const std::size_t from : sizes) {
    for (const std::size_t to : sizes) {
      if (to == 0) continue;
      void* p = std::calloc(1, from);
      dirty(p);
      p = std::realloc(p, to);
      expect_remembered(p, to, 16, 1);
      ASSERT_TRUE(all_bytes_are(p, 0, std::min(from, to), 0xdd)) << from << " -> " << to;
      ASSERT_TRUE(all_bytes_are(p, from, to, 0)) << from << " -> " << to;
      std::free(p);
    }
  }
}

TEST(sticky_malloc, realloc_of_a_zeroed_block_keeps_all_that_was_usable) {
  for (const std::size_t n : sizes) {
    void* p = std::calloc(1, n);
    const std::size_t usable = malloc_usable_size(p);
    dirty(p);
    p = std::realloc(p, 2 * usable + 5'000);
    ASSERT_TRUE(all_bytes_are(p, 0, usable, 0xdd)) << n;
    std::free(p);
  }
}

TEST(sticky_malloc, growth_of_a_few_bytes_within_the_block_is_zero) {
  auto* p = static_cast<unsigned char*>(std::calloc(1, 100));
  std::memset(p, 0xdd, malloc_usable_size(p));
  for (std::size_t n = 101; n < 2000; ++n) {
    p = static_cast<unsigned char*>(std::realloc(p, n));
    ASSERT_EQ(p[n - 1], 0) << n;
    std::memset(p, 0xdd, malloc_usable_size(p));
  }
  std::free(p);
}

TEST(sticky_malloc, what_was_cut_off_a_zeroed_block_comes_back_as_zeros) {
  for (const std::size_t n : sizes) {
    if (n < 2) continue;
    for (const std::size_t less : {n - 1, n / 2 + 1, n / 3 + 1, std::size_t{1}}) {
      void* p = std::calloc(1, n);
      dirty(p);
      p = std::realloc(p, less);
      expect_remembered(p, less, 16, 1);
      p = std::realloc(p, n);
      ASSERT_TRUE(all_bytes_are(p, 0, less, 0xdd)) << n << " by way of " << less;
      ASSERT_TRUE(all_bytes_are(p, less, n, 0)) << n << " by way of " << less;
      std::free(p);
    }
  }
}

TEST(sticky_malloc, realloc_keeps_the_alignment) {
  for (const std::size_t alignment : alignments) {
    for (const std::size_t from : sizes) {
      void* p = cmemalign(alignment, 1, from);
      dirty(p);
      std::size_t before = from;
      for (const std::size_t to : {from / 3 + 1, 4 * from + 1, 2 * from + 3, std::size_t{33}}) {
        p = std::realloc(p, to);
        expect_remembered(p, to, alignment, 1);
        ASSERT_TRUE(all_bytes_are(p, 0, std::min(before, to), 0xdd)) << before << " -> " << to;
        ASSERT_TRUE(all_bytes_are(p, before, to, 0)) << before << " -> " << to;
        dirty(p);
        before = to;
      }
      ASSERT_EQ(posix_realloc(&p, 5000), 0);
      expect_remembered(p, 5000, alignment, 1);
      std::free(p);
    }
  }
}

TEST(sticky_malloc, aligned_realloc_sets_the_alignment_and_keeps_the_zero_fill) {
  void* p = std::calloc(1, 100);
  dirty(p);
  p = aligned_realloc(p, 4096, 300);
  expect_remembered(p, 300, 4096, 1);
  EXPECT_TRUE(all_bytes_are(p, 100, 300, 0));
  ASSERT_EQ(posix_aligned_realloc(&p, 64, 250), 0);
  expect_remembered(p, 250, 64, 1);
  p = aligned_realloc(p, 1, 300);
  expect_remembered(p, 300, 16, 1);
  std::free(p);
}

TEST(sticky_malloc, resize_drops_zero_fill_and_alignment) {
  for (const std::size_t from : sizes) {
    for (const std::size_t to : {from + 1, from / 2 + 1, 3 * from + 1}) {
      expect_remembered_and_free(resize(cmemalign(4096, 1, from), to), to, 16, 0);
      expect_remembered_and_free(aligned_resize(cmemalign(4096, 1, from), 64, to), to, 64, 0);
    }
  }
}

TEST(sticky_malloc, a_realloc_that_fails_changes_nothing) {
  void* const p = cmemalign(64, 1, 100);
  void* const same = p;
  volatile std::size_t too_large = PTRDIFF_MAX - 100;
  void* q = p;
  EXPECT_EQ(posix_realloc(&q, too_large), ENOMEM);
  EXPECT_EQ(q, same);
  EXPECT_EQ(aligned_realloc(q, 4096, too_large), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  expect_remembered(q, 100, 64, 1);
  EXPECT_TRUE(all_bytes_are(q, 0, 100, 0));
  std::free(q);
}

// A block and all that has to be true of it: all its bytes have the value.
struct model_block {
  void* p = nullptr;
  std::size_t request = 0;
  std::size_t alignment = 16;
  int zero_fill = 0;
  unsigned char value = 0;
};

class model_program {
 public:
  explicit model_program(std::uint64_t seed) : decide_(seed, ~std::size_t{0}) {}

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFatalFailure(); ++i) step();
    for (model_block& b : blocks_) {
      check(b);
      std::free(b.p);
    }
  }

 private:
  std::size_t some_bytes() {
    const std::size_t most = decide_.below(16) == 0 ? 24 : 14;
    return decide_.below(std::size_t{1} << decide_.below(most)) + 1;
  }
  std::size_t some_alignment() { return std::size_t{1} << decide_.below(15); }

  void check(const model_block& b) {
    if (b.p == nullptr) return;
    expect_remembered(b.p, b.request, b.alignment, b.zero_fill);
    ASSERT_TRUE(all_bytes_are(b.p, 0, b.request, b.value));
  }

  void allocate(model_block& b) {
    b = {nullptr, some_bytes(), 16, decide_.below(2) == 0 ? 1 : 0, 0};
    if (decide_.below(2) == 0) {
      const std::size_t alignment = some_alignment();
      b.alignment = std::max<std::size_t>(alignment, 16);
      b.p = b.zero_fill != 0 ? cmemalign(alignment, 1, b.request)
                             : amemalign(alignment, 1, b.request);
    } else {
      b.p = b.zero_fill != 0 ? std::calloc(b.request, 1) : std::malloc(b.request);
    }
    if (b.zero_fill != 0) {
      ASSERT_TRUE(all_bytes_are(b.p, 0, b.request, 0));
    }
  }

  void grow_or_shrink(model_block& b) {
    const std::size_t before = b.request;
    b.request = some_bytes();
    if (decide_.below(4) == 0) {
      const std::size_t alignment = some_alignment();
      b.p = aligned_realloc(b.p, alignment, b.request);
      b.alignment = std::max<std::size_t>(alignment, 16);
    } else {
      b.p = std::realloc(b.p, b.request);
    }
    ASSERT_TRUE(all_bytes_are(b.p, 0, std::min(before, b.request), b.value));
    if (b.zero_fill != 0) {
      ASSERT_TRUE(all_bytes_are(b.p, before, b.request, 0)) << before << " -> " << b.request;
    }
  }

  void step() {
    model_block& b = blocks_[decide_.below(blocks_.size())];
    check(b);
    const std::size_t choice = decide_.below(8);
    if (b.p == nullptr) {
      allocate(b);
    } else if (choice == 0) {
      std::free(b.p);
      b.p = nullptr;
      return;
    } else if (choice == 1) {
      b.request = some_bytes();
      b.p = resize(b.p, b.request);
      b.alignment = 16;
      b.zero_fill = 0;
    } else {
      grow_or_shrink(b);
    }
    b.value = static_cast<unsigned char>(decide_.below(255) + 1);
    std::memset(b.p, b.value, malloc_usable_size(b.p));
  }

  mallard_test::choices decide_;
  std::vector<model_block> blocks_ = std::vector<model_block>(100);
};

TEST(sticky_malloc, random_programs_find_what_the_model_says) {
  for (const std::uint64_t seed : mallard_test::test_seeds(4)) {
    model_program(seed).run(10'000);
    if (HasFatalFailure()) FAIL() << mallard_test::reproduce_with(seed);
  }
}

TEST(sticky_malloc, records_are_read_by_any_thread) {
  void* p = cmemalign(64, 1, 100);
  std::thread([&] {
    expect_remembered(p, 100, 64, 1);
    dirty(p);
    p = std::realloc(p, 5000);
  }).join();
  expect_remembered(p, 5000, 64, 1);
  EXPECT_TRUE(all_bytes_are(p, 100, 5000, 0));
  std::free(p);
}

}  // namespace
