// Memory goes back to the system while blocks are in use all over.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <cstring>
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

}  // namespace
