// The ground that the kernels of the benches of mallocs stand on: their own memory, their threads,
// their histogram of latencies.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>

#include "lab/mallocs/latency_histogram.hpp"
#include "lab/mallocs/own_memory.hpp"
#include "lab/mallocs/team.hpp"

namespace mallard::lab {
namespace {

TEST(latency_histogram, quantiles_are_within_three_percent) {
  latency_histogram all;
  EXPECT_EQ(all.quantile(0.5), 0);
  for (std::uint64_t value = 1; value <= 100'000; ++value) all.add(value);
  EXPECT_EQ(all.total(), 100'000U);
  for (const double share : {0.01, 0.5, 0.99, 0.999, 1.0}) {
    EXPECT_NEAR(all.quantile(share) / (share * 100'000), 1, 0.03) << share;
  }
}

TEST(latency_histogram, small_values_are_exact_and_large_ones_have_room) {
  latency_histogram all;
  for (const std::uint64_t value : {0U, 3U, 3U, 31U}) all.add(value);
  EXPECT_EQ(all.quantile(0.25), 0);
  EXPECT_EQ(all.quantile(0.75), 3);
  EXPECT_EQ(all.quantile(1), 31);
  latency_histogram large;
  large.add(UINT64_MAX);
  EXPECT_NEAR(large.quantile(1) / static_cast<double>(UINT64_MAX), 1, 0.03);
}

TEST(latency_histogram, sums_count_everything_once) {
  latency_histogram one, other;
  one.add(10);
  other.add(20);
  other.add(30);
  one.add(other);
  EXPECT_EQ(one.total(), 3U);
  EXPECT_EQ(one.quantile(0.5), 20);
  EXPECT_EQ(one.quantile(1), 30);
}

TEST(own_memory, counts_what_it_has_in_memory) {
  own_memory own(std::size_t{1} << 30);
  EXPECT_EQ(own.resident_bytes(), 0U);
  const auto table = own.make<std::uint64_t>(1 << 16);
  EXPECT_EQ(table[12345], 0U);
  const std::uint64_t with_table = own.resident_bytes();
  EXPECT_GE(with_table, 8U << 16);
  EXPECT_LE(with_table, (8U << 16) + 8192);
  const auto stack = own.make_stack(1 << 20);
  EXPECT_EQ(own.resident_bytes(), with_table);
  stack.back() = std::byte{1};
  EXPECT_GT(own.resident_bytes(), with_table);
}

TEST(own_memory, objects_share_no_cache_line_with_others_and_lie_inside) {
  own_memory own(std::size_t{1} << 20);
  const auto a = own.make<char>(3);
  const auto b = own.make<char>(3);
  EXPECT_GE(b.data() - a.data(), 128);
  EXPECT_GE(reinterpret_cast<std::byte*>(a.data()), own.begin());
  EXPECT_LT(reinterpret_cast<std::byte*>(b.data()), own.end());
  EXPECT_THROW(own.make<char>(1 << 20), std::bad_alloc);
}

TEST(malloc_team, all_prepare_before_any_works_and_the_times_are_those) {
  own_memory own(std::size_t{1} << 28);
  std::atomic<unsigned> prepared{0};
  std::atomic<unsigned> worked{0};
  std::atomic<bool> early{false};
  const auto times = mallocs::run_team(
      own, 48, [&](unsigned) { ++prepared; },
      [&](unsigned number) {
        if (prepared != 48) early = true;
        worked += number;
      });
  EXPECT_EQ(worked, 47U * 48U / 2U);
  EXPECT_FALSE(early);
  EXPECT_GT(times.work, 0);
  EXPECT_GT(times.whole, times.work);
}

TEST(malloc_team, meetings_repeat) {
  own_memory own(std::size_t{1} << 28);
  meeting& line = own.make<meeting>(1)[0];
  line.expect(3);
  std::atomic<unsigned> steps{0};
  std::atomic<bool> apart{false};
  mallocs::run_team(
      own, 3, [](unsigned) {},
      [&](unsigned) {
        for (unsigned round = 1; round <= 200; ++round) {
          ++steps;
          line.wait();
          if (steps != 3 * round) apart = true;
          line.wait();
        }
      });
  EXPECT_FALSE(apart);
}

}  // namespace
}  // namespace mallard::lab
