// Blocks that are so large that they grow by moving pages, with parts that are unlike the rest.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "support/footprint.hpp"
#include "support/units.hpp"

namespace {

using mallard_test::mib;

// A few pages in the middle of the block, to which `change` is done.
void expect_growth_after(const std::function<void(void*, std::size_t)>& change) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* p = static_cast<unsigned char*>(std::malloc(20 * mib));
  ASSERT_NE(p, nullptr);
  for (std::size_t i = 0; i < 20 * mib; i += 4096) p[i] = static_cast<unsigned char>(i / 4096);
  const std::uintptr_t middle = (reinterpret_cast<std::uintptr_t>(p) + 10 * mib) & ~(page - 1);
  change(reinterpret_cast<void*>(middle), 4 * page);
  for (const std::size_t to : {30 * mib, 31 * mib, 100 * mib}) {
    auto* const now = static_cast<unsigned char*>(std::realloc(p, to));
    ASSERT_NE(now, nullptr) << to;
    p = now;
    for (std::size_t i = 0; i < 20 * mib; i += 4096) {
      ASSERT_EQ(p[i], static_cast<unsigned char>(i / 4096)) << i;
    }
    p[to - 1] = 1;
  }
  std::free(p);
}

TEST(malloc_huge, a_block_grows_whatever_was_advised_of_a_part) {
  for (const int advice : {MADV_DONTDUMP, MADV_DONTFORK, MADV_HUGEPAGE, MADV_NOHUGEPAGE}) {
    SCOPED_TRACE(advice);
    expect_growth_after([&](void* p, std::size_t bytes) { madvise(p, bytes, advice); });
  }
}

TEST(malloc_huge, a_block_grows_when_a_part_is_locked) {
  expect_growth_after([](void* p, std::size_t bytes) { mlock(p, bytes); });
}

TEST(malloc_huge, a_block_grows_when_a_part_is_read_only) {
  expect_growth_after([](void* p, std::size_t bytes) { mprotect(p, bytes, PROT_READ); });
}

long faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

// Linux 6.13 has the advice.
TEST(malloc_huge, pages_that_a_block_left_as_guards_can_be_used_by_the_next) {
  constexpr int guard_install = 102;
  malloc_trim(0);  // guards are looked for when a mapping is kept the first time
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  auto* p = static_cast<unsigned char*>(std::malloc(9 * mib));
  const std::uintptr_t middle = (reinterpret_cast<std::uintptr_t>(p) + 4 * mib) & ~(page - 1);
  const bool is_guard = madvise(reinterpret_cast<void*>(middle), page, guard_install) == 0;
  std::free(p);
  if (!is_guard) GTEST_SKIP() << "the system has no such guards";
  for (int i = 0; i < 10; ++i) {
    p = static_cast<unsigned char*>(std::memset(std::malloc(9 * mib), 1, 9 * mib));
    std::free(p);
  }
}

TEST(malloc_huge, touched_blocks_that_come_and_go_take_few_page_faults) {
  constexpr int turns = 100;
  for (const std::size_t bytes : {300'000ul, 5 * mib, 20 * mib}) {
    malloc_trim(0);  // what earlier tests have left may be all that is kept
    const long before = faults();
    for (int i = 0; i < turns; ++i) {
      const std::size_t less = static_cast<std::size_t>(i % 3) * 4096;
      std::free(std::memset(std::malloc(bytes - less), 1, bytes - less));
    }
    EXPECT_LT(static_cast<std::size_t>(faults() - before), turns * (bytes / 4096) / 8) << bytes;
  }
}

TEST(malloc_huge, a_block_made_small_leaves_what_its_mapping_had_before) {
  malloc_trim(0);
  const std::size_t before = mallard_test::resident_bytes();
  std::vector<void*> small(16);
  for (void*& p : small) {
    std::free(std::memset(std::malloc(30 * mib), 1, 30 * mib));
    p = std::realloc(std::malloc(27 * mib), 300'000);
  }
  malloc_trim(0);
  EXPECT_LT(mallard_test::resident_bytes(), before + 16 * mib);
  for (void* p : small) std::free(p);
}

void* grown(void* p, std::size_t bytes) {
  auto* const now = static_cast<unsigned char*>(std::realloc(p, bytes));
  EXPECT_NE(now, nullptr) << bytes;
  return now;
}

TEST(malloc_huge, a_block_stays_where_it_is_while_its_pages_are_enough) {
  for (const std::size_t bytes : {300'000ul, 1'000'000ul, 5 * mib, 9 * mib}) {
    void* const p = std::malloc(bytes);
    for (const std::size_t to : {bytes, bytes - 1, bytes - 16, bytes}) {
      EXPECT_EQ(grown(p, to), p) << bytes << " to " << to;
    }
    std::free(p);
  }
}

// Also with a guard page behind it.
TEST(malloc_huge, a_block_that_grows_step_by_step_stays_where_it_is_if_there_is_room) {
  constexpr std::size_t step = 16 << 10;
  std::size_t bytes = 10 << 20;
  int moves = 0;
  void* p = std::malloc(bytes);
  for (int i = 0; i < 500; ++i) {
    bytes += step;
    void* const grown = std::realloc(p, bytes);
    ASSERT_NE(grown, nullptr);
    static_cast<char*>(grown)[bytes - 1] = 1;
    moves += grown != p ? 1 : 0;
    p = grown;
  }
  std::free(p);
  EXPECT_LT(moves, 100);
}

TEST(malloc_huge, a_block_that_grows_step_by_step_takes_no_pages_again_and_again) {
  constexpr std::size_t step = 4'000;
  std::size_t bytes = 300'000;
  auto* p = static_cast<unsigned char*>(std::memset(std::malloc(bytes), 1, bytes));
  const long before = mallard_test::page_faults();
  for (; bytes < 3 * mib; bytes += step) {
    p = static_cast<unsigned char*>(grown(p, bytes + step));
    std::memset(p + bytes, 1, step);
  }
  EXPECT_LT(mallard_test::page_faults() - before, 20'000);
  EXPECT_EQ(p[0], 1);
  EXPECT_EQ(std::memcmp(p, p + 1, bytes - 1), 0);
  for (; bytes > 300'000; bytes -= 3 * step) {
    p = static_cast<unsigned char*>(grown(p, bytes));
    EXPECT_EQ(std::memcmp(p, p + 1, bytes - 1), 0);
  }
  std::free(p);
}

// A block that moves as it grows keeps its contents, and takes no memory for pages nobody touched.
TEST(malloc_huge, blocks_that_grow_elsewhere_take_memory_only_for_touched_pages) {
  for (const std::size_t bytes : {std::size_t{300'001}, mib, 3 * mib + 17, 5 * mib, 7 * mib}) {
    SCOPED_TRACE(bytes);
    const std::size_t touched[] = {0, 4'095, bytes / 2, bytes - 1};
    malloc_trim(0);
    std::vector<unsigned char*> blocks(40);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      ASSERT_NE(blocks[i] = static_cast<unsigned char*>(std::malloc(bytes)), nullptr);
      for (const std::size_t at : touched) blocks[i][at] = static_cast<unsigned char>(i + 1);
    }
    const std::size_t before = mallard_test::resident_bytes();
    for (unsigned char*& p : blocks) {
      p = static_cast<unsigned char*>(std::realloc(p, bytes + bytes / 2));
      ASSERT_NE(p, nullptr);
      p[bytes + bytes / 2 - 1] = 1;
    }
    EXPECT_LT(mallard_test::resident_bytes(), before + blocks.size() * 64 * mallard_test::kib);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      for (const std::size_t at : touched) EXPECT_EQ(blocks[i][at], i + 1) << at;
      ASSERT_NE(blocks[i] = static_cast<unsigned char*>(std::realloc(blocks[i], 20 * mib)),
                nullptr);
      for (const std::size_t at : touched) EXPECT_EQ(blocks[i][at], i + 1) << at;
      std::free(blocks[i]);
    }
  }
}

}  // namespace
