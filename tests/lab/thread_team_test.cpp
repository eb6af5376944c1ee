// Threads that start together, and the queue between two of them.
#include "lab/measuring/thread_team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "lab/mallocs/block_ring.hpp"

namespace mallard::lab {
namespace {

TEST(ThreadTeam, EachNumberPreparesOnceBeforeAnyWorks) {
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

TEST(ThreadTeam, TimeIsThatOfTheSlowestAndLeavesPreparationOut) {
  const auto sleep = [](int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  };
  const double seconds = run_team(
      2, [&](unsigned) { sleep(200); }, [&](unsigned number) { sleep(number == 0 ? 0 : 50); });
  EXPECT_GE(seconds, 0.045);
  EXPECT_LT(seconds, 0.19);
}

TEST(ThreadTeam, ExceptionsComeOutWhicheverPhaseTheyAreThrownIn) {
  const auto nothing = [](unsigned) {};
  const auto third_gives_up = [](unsigned number) {
    if (number == 2) throw std::runtime_error("gave up");
  };
  EXPECT_THROW(run_team(4, third_gives_up, nothing), std::runtime_error);
  EXPECT_THROW(run_team(4, nothing, third_gives_up), std::runtime_error);
}

TEST(BlockRing, HandsOverInOrderAndIsBounded) {
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

TEST(BlockRing, NothingIsLostBetweenTwoThreads) {
  block_ring ring;
  std::vector<int> blocks(100000);
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
