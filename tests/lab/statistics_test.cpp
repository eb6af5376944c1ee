#include "lab/measuring/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "lab/measuring/random.hpp"

namespace mallard::lab {
namespace {

TEST(median, is_the_middle_or_the_mean_of_the_two_middle_ones) {
  EXPECT_EQ(median(std::vector{3.0}), 3.0);
  EXPECT_EQ(median(std::vector{9.0, 1.0, 2.0}), 2.0);
  EXPECT_EQ(median(std::vector{9.0, 1.0, 2.0, 4.0}), 3.0);
}

TEST(bootstrap, interval_contains_the_median_and_stays_inside_the_values) {
  const std::vector values = {5.0, 1.0, 4.0, 2.0, 3.0, 9.0, 2.5};
  const interval ci = bootstrap_median(values, 7);
  EXPECT_LE(ci.low, median(values));
  EXPECT_GE(ci.high, median(values));
  EXPECT_GE(ci.low, 1.0);
  EXPECT_LE(ci.high, 9.0);
  EXPECT_LT(ci.low, ci.high);
}

TEST(bootstrap, same_seed_gives_the_same_interval) {
  const std::vector values = {5.0, 1.0, 4.0, 2.0, 3.0};
  const interval a = bootstrap_median(values, 1);
  const interval b = bootstrap_median(values, 1);
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
}

TEST(bootstrap, collapses_for_one_or_equal_values) {
  for (const auto& values : {std::vector{2.0}, std::vector{2.0, 2.0, 2.0}}) {
    const interval ci = bootstrap_median(values, 1);
    EXPECT_EQ(ci.low, 2.0);
    EXPECT_EQ(ci.high, 2.0);
  }
}

// A 95 % interval has to miss the true median in about one of twenty samples.
TEST(bootstrap, covers_the_true_median_about_as_often_as_it_says) {
  random_stream random(3);
  int covered = 0;
  constexpr int samples = 200;
  for (int sample = 0; sample < samples; ++sample) {
    std::vector<double> values(25);
    for (double& value : values) value = random.below(1000000) / 1e6;  // uniform: median 0.5
    const interval ci = bootstrap_median(values, static_cast<std::uint64_t>(sample));
    covered += ci.low <= 0.5 && 0.5 <= ci.high;
  }
  EXPECT_GE(covered, samples * 88 / 100);
  EXPECT_LT(covered, samples);
}

TEST(geometric_mean, of_a_ratio_and_its_inverse_is_one) {
  EXPECT_DOUBLE_EQ(geometric_mean(std::vector{4.0, 0.25}), 1.0);
  EXPECT_NEAR(geometric_mean(std::vector{1.0, 2.0, 4.0}), 2.0, 1e-12);
}

TEST(random, stream_is_uniform_enough_and_stays_below_its_bound) {
  random_stream random(1);
  std::vector<int> counts(10);
  for (int i = 0; i < 100000; ++i) ++counts.at(random.below(10));
  for (const int count : counts) EXPECT_NEAR(count, 10000, 400);
}

}  // namespace
}  // namespace mallard::lab
