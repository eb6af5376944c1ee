// Random programs on the process's malloc.
#include <gtest/gtest.h>

#include <cstdlib>

#include "malloc/process_calls.hpp"
#include "malloc/random_program.hpp"
#include "support/require.hpp"
#include "support/seeds.hpp"

namespace {

void run_all(const malloc_test::program_shape& shape, std::uint64_t seeds) {
  for (const std::uint64_t seed : mallard_test::test_seeds(seeds)) {
    try {
      malloc_test::run_program(malloc_test::process_calls, shape, seed);
    } catch (const mallard_test::check_failure& e) {
      FAIL() << e.what() << mallard_test::reproduce_with(seed);
    }
  }
}

TEST(malloc_programs, of_one_thread_find_their_blocks_unchanged) {
  run_all({.threads = 1, .steps = 20'000, .live = 500}, 6);
}

TEST(malloc_programs, with_huge_blocks_find_them_unchanged) {
  run_all({.threads = 1, .steps = 2'000, .live = 50, .largest_bytes = 64 << 20}, 3);
}

TEST(malloc_programs, of_threads_that_free_each_others_blocks_find_them_unchanged) {
  run_all({.threads = 4, .steps = 20'000, .live = 500}, 6);
}

TEST(malloc_programs, of_many_threads_with_small_blocks_find_them_unchanged) {
  run_all({.threads = 16, .steps = 5'000, .live = 5'000, .largest_bytes = 2'000}, 4);
}

// Minutes: `make stress` runs it.
TEST(malloc_programs, DISABLED_of_64_threads_find_their_blocks_unchanged) {
  constexpr unsigned threads = 64;
  const char* const chosen = std::getenv("MALLARD_TEST_OPERATIONS");
  const std::size_t operations =
      chosen == nullptr ? 100'000'000 : std::strtoull(chosen, nullptr, 10);
  run_all(
      {.threads = threads, .steps = operations / threads, .live = 20'000, .largest_bytes = 4'000},
      1);
}

}  // namespace
