#include "profile/contention.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

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

// Hundredths of a second in which two threads do so many operations each.
std::vector<stretch_counts> two_threads(std::uint64_t operations, std::uint64_t samples) {
  std::vector<stretch_counts> out(100);
  for (stretch_counts& one : out) {
    one.operations.add(1, operations);
    one.operations.add(2, operations);
    one.samples = samples;
  }
  return out;
}

TEST(contention, of_a_recording_leaves_out_the_recorders_time) {
  // Each thread is the program for a fifth of its time, and waits for the recorder for the rest.
  const auto parts = two_threads(20000, 4);
  const contention found(parts, 1e7, {.share = 0.5, .sample_ns = 1e6, .waited_ns = 1.6e9});
  EXPECT_NEAR(found.of(parts, 0, 100), 0.5, 1e-9);
  // Without waits, the recorder takes at most 100 ns of each operation.
  const contention unwaited(parts, 1e7, {.share = 0.5, .sample_ns = 1e6, .waited_ns = 0});
  EXPECT_NEAR(unwaited.of(parts, 0, 100), 1.0 / 3 * 0.6, 0.1);
}

TEST(contention, is_low_where_threads_sleep) {
  const auto parts = two_threads(1000, 1);  // a twentieth of their time each
  const contention found(parts, 1e7, {.share = 0.5, .sample_ns = 1e6, .waited_ns = 0});
  EXPECT_LT(found.of(parts, 0, 100), 0.05);
}

TEST(contention, of_threads_that_take_turns_is_nothing) {
  std::vector<stretch_counts> parts(100);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].operations.add(i < 50 ? 1 : 2, 10000);
    parts[i].samples = 5;
  }
  const contention found(parts, 1e7, {.share = 0.9, .sample_ns = 1e6, .waited_ns = 0});
  EXPECT_DOUBLE_EQ(found.of(parts, 0, 100), 0);
}

}  // namespace
}  // namespace mallard::profile
