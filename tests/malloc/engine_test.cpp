// The engine of malloc by its own functions, so that sanitizers can watch it.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "malloc/engine_calls.hpp"
#include "malloc/huge_block.hpp"
#include "malloc/large_space.hpp"
#include "malloc/random_program.hpp"
#include "support/require.hpp"
#include "support/seeds.hpp"

namespace {

namespace engine = mallard::detail;

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
  std::size_t blocks = engine::huge_usage().blocks;
  for (engine::large_space& space : engine::the_spaces) blocks += space.usage().blocks;
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

TEST(malloc_engine, heaps_change_hands_while_blocks_are_under_way_to_them) {
  constexpr std::size_t ring_size = 256;
  std::vector<std::atomic<void*>> ring(ring_size);
  std::atomic<bool> stop{false};
  std::thread freer([&] {
    while (!stop) {
      for (std::atomic<void*>& place : ring) engine::deallocate(place.exchange(nullptr));
    }
  });
  for (int turn = 0; turn < 100; ++turn) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = 0; i < 300; ++i) {
          const std::size_t bytes = 16 + (i * 37 + static_cast<std::size_t>(t)) % 3000;
          auto* const p = static_cast<char*>(engine::allocate(bytes));
          p[0] = p[bytes - 1] = 1;
          engine::deallocate(ring[(i * 5) % ring_size].exchange(p));
        }
      });
    }
    for (std::thread& t : threads) t.join();
    engine::trim();
  }
  stop = true;
  freer.join();
  for (std::atomic<void*>& place : ring) engine::deallocate(place.exchange(nullptr));
}

}  // namespace
