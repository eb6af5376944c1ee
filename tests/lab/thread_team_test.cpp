// Threads that start together, and the queue between two of them.
#include "lab/measuring/thread_team.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "lab/mallocs/block_ring.hpp"

namespace mallard::lab {
namespace {

TEST(thread_team, each_number_prepares_once_before_any_works) {
  std::atomic<unsigned> prepared{0};
  std::atomic<unsigned> worked{0};
  std::atomic<bool> early{false};
  const double seconds = run_team(
      5, [&](unsigned number) { prepared += 1U << number; },
      [&](unsigned number) {
        if (prepared != 31) early = true;
        worked += 1U << number;
      });
  EXPECT_EQ(prepared, 31U);
  EXPECT_EQ(worked, 31U);
  EXPECT_FALSE(early);
  EXPECT_GT(seconds, 0);
}

TEST(thread_team, time_is_that_of_the_slowest_and_leaves_preparation_out) {
  const auto sleep = [](int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  };
  std::array<double, 2> prepared = {};
  const double seconds = run_team(
      2,
      [&](unsigned number) {
        sleep(20);
        prepared.at(number) = now();
      },
      [&](unsigned number) { sleep(number == 0 ? 0 : 50); });
  EXPECT_GE(seconds, 0.05);
  // However busy the machine is: all the work is done after all of the preparation.
  EXPECT_LE(seconds, now() - std::max(prepared[0], prepared[1]));
}

TEST(thread_team, exceptions_come_out_whichever_phase_they_are_thrown_in) {
  const auto nothing = [](unsigned) {};
  const auto third_gives_up = [](unsigned number) {
    if (number == 2) throw std::runtime_error("gave up");
  };
  EXPECT_THROW(run_team(4, third_gives_up, nothing), std::runtime_error);
  EXPECT_THROW(run_team(4, nothing, third_gives_up), std::runtime_error);
}

TEST(block_ring, hands_over_in_order_and_is_bounded) {
  block_ring ring;
  std::vector<int> blocks(block_ring::capacity + 1);
  EXPECT_EQ(ring.pop(), nullptr);
  for (std::size_t i = 0; i < block_ring::capacity; ++i) EXPECT_TRUE(ring.push(&blocks[i]));
  EXPECT_FALSE(ring.push(&blocks.back()));
  EXPECT_EQ(ring.pop(), &blocks[0]);
  EXPECT_TRUE(ring.push(&blocks.back()));
  for (std::size_t i = 1; i < blocks.size(); ++i) EXPECT_EQ(ring.pop(), &blocks[i]);
  EXPECT_EQ(ring.pop(), nullptr);
  EXPECT_FALSE(ring.closed());
  ring.close();
  EXPECT_TRUE(ring.closed());
}

TEST(block_ring, nothing_is_lost_between_two_threads) {
  block_ring ring;
  std::vector<int> blocks(20000);
  std::jthread producer([&] {
    for (int& one : blocks) {
      one = 1;
      while (!ring.push(&one)) std::this_thread::yield();
    }
    ring.close();
  });
  std::size_t next = 0;
  while (true) {
    const bool last = ring.closed();
    if (auto* block = static_cast<int*>(ring.pop())) {
      ASSERT_EQ(block, &blocks[next++]);
      ASSERT_EQ(*block, 1);
    } else if (last) {
      break;
    }
  }
  EXPECT_EQ(next, blocks.size());
}

}  // namespace
}  // namespace mallard::lab
