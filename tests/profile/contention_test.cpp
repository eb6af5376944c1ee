#include "profile/contention.hpp"

#include <gtest/gtest.h>

namespace mallard::profile {
namespace {

double share_in_company(std::initializer_list<std::uint64_t> of_threads, double operation_ns,
                        double wall_ns) {
  thread_counts operations;
  double all = 0;
  std::uint32_t thread = 0;
  for (const std::uint64_t times : of_threads) {
    operations.add(++thread, times);
    all += static_cast<double>(times);
  }
  return operations_in_company(operations, operation_ns, wall_ns) / all;
}

TEST(contention, is_the_share_of_time_that_another_thread_is_inside) {
  EXPECT_DOUBLE_EQ(share_in_company({10}, 10, 1000), 0);
  EXPECT_DOUBLE_EQ(share_in_company({30, 30}, 10, 1000), 0.3);
  EXPECT_DOUBLE_EQ(share_in_company({30, 30, 30}, 10, 1000), 1 - 0.7 * 0.7);
  // Operations of the busier thread meet the other one more seldom.
  EXPECT_DOUBLE_EQ(share_in_company({60, 20}, 10, 1000), (60 * 0.2 + 20 * 0.6) / 80);
}

TEST(contention, is_whole_where_all_threads_are_always_inside) {
  EXPECT_NEAR(share_in_company({100, 100}, 10, 1000), 1, 1e-6);
  EXPECT_NEAR(share_in_company({500, 500, 1}, 10, 1000), 1, 1e-6);
}

TEST(contention, of_a_recording_leaves_out_the_recorders_time) {
  // Two threads operate for a second, of which the program takes a fifth.
  const recorded_stretch all = {.wall = 1e9, .program = 0.4e9, .operations = 4e6};
  const double of_recorder = recorder_time(all, 2e9);
  EXPECT_DOUBLE_EQ(of_recorder, 400);
  EXPECT_DOUBLE_EQ(plain_wall(all, of_recorder), 0.2e9);
  // A thread with an operation in a millisecond waits for something else.
  EXPECT_LE(recorder_time({.wall = 1e9, .program = 0, .operations = 1000}, 1e9), 2000);
  EXPECT_DOUBLE_EQ(recorder_time({}, 1e9), 0);
}

}  // namespace
}  // namespace mallard::profile
