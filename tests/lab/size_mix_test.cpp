// The sizes that benches of mallocs ask for.
#include "lab/mallocs/size_mix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

namespace mallard::lab {
namespace {

std::map<std::uint32_t, double> frequencies(const size_mix& mix, int draws) {
  random_stream random(1);
  std::map<std::uint32_t, double> found;
  for (int i = 0; i < draws; ++i) found[mix.draw(random)] += 1.0 / draws;
  return found;
}

TEST(size_mix, fisher_has_the_probabilities_of_f_with_one_and_one_degrees) {
  // P(F < x) = 2/pi atan(sqrt x), given that x < 10.
  constexpr double known[] = {0.621, 0.134, 0.073, 0.047, 0.034, 0.026, 0.021, 0.017, 0.014, 0.012};
  const size_mix mix = size_mix::fisher(50, 500, 50);
  ASSERT_EQ(mix.shares().size(), 10U);
  double sum = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(mix.shares()[i].bytes, 50 * (i + 1));
    EXPECT_NEAR(mix.shares()[i].weight, known[i], 0.0006) << i;
    sum += mix.shares()[i].weight;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_NEAR(mix.mean(), 107.8, 0.05);
}

TEST(size_mix, draws_come_as_often_as_their_weights) {
  const std::vector<size_share> shares = {{16, 1}, {100, 5}, {7, 0}, {3000, 2}};
  for (const size_mix& mix : {size_mix::fisher(50, 500, 50), size_mix::uniform(8, 64, 8),
                              size_mix::histogram(shares), size_mix::fixed(33)}) {
    auto found = frequencies(mix, 200'000);
    for (const size_share& one : mix.shares()) {
      EXPECT_NEAR(found[one.bytes], one.weight, 0.005) << one.bytes;
    }
    double sum = 0;
    for (const size_share& one : mix.shares()) sum += found[one.bytes];
    EXPECT_NEAR(sum, 1, 1e-9) << "other sizes";
  }
}

TEST(size_mix, uniform_has_every_size_to_the_last_step) {
  const size_mix mix = size_mix::uniform(10, 35, 10);
  ASSERT_EQ(mix.shares().size(), 3U);
  EXPECT_EQ(mix.shares().back().bytes, 30U);
  EXPECT_DOUBLE_EQ(mix.shares()[1].weight, 1.0 / 3);
  EXPECT_DOUBLE_EQ(mix.mean(), 20);
}

TEST(size_mix, ranges_stay_in_their_bounds) {
  auto found = frequencies(size_mix::range(5, 8), 100'000);
  ASSERT_EQ(found.size(), 4U);
  for (const auto& [bytes, share] : found) EXPECT_NEAR(share, 0.25, 0.01) << bytes;
  random_stream random(3);
  const size_mix mix = size_mix::log_uniform(16, 65536);
  std::map<int, int> octaves;
  double sum = 0;
  constexpr int draws = 120'000;
  for (int i = 0; i < draws; ++i) {
    const std::uint32_t bytes = mix.draw(random);
    ASSERT_GE(bytes, 16U);
    ASSERT_LE(bytes, 65536U);
    ++octaves[static_cast<int>(std::log2(bytes))];
    sum += bytes;
  }
  for (int octave = 4; octave < 16; ++octave) EXPECT_NEAR(octaves[octave], draws / 12, draws / 120);
  EXPECT_NEAR(sum / draws / mix.mean(), 1, 0.02);
}

TEST(size_mix, same_seed_gives_the_same_sizes) {
  const size_mix mix = size_mix::fisher(50, 500, 50);
  random_stream one(7);
  random_stream same(7);
  random_stream other(8);
  std::vector<std::uint32_t> a, b, c;
  for (int i = 0; i < 100; ++i) {
    a.push_back(mix.draw(one));
    b.push_back(mix.draw(same));
    c.push_back(mix.draw(other));
  }
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
}

}  // namespace
}  // namespace mallard::lab
