#include "profile/record/resident_samples.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace mallard::profile {
namespace {

TEST(resident_samples, come_no_more_often_than_the_interval) {
  resident_samples samples(static_cast<std::uint64_t>(getpid()));
  samples.take(0);
  samples.take(resident_samples::shortest_ns - 1);
  samples.take(resident_samples::shortest_ns);
  ASSERT_EQ(samples.all().size(), 2u);
  EXPECT_GT(samples.all()[0].bytes, 100'000u);
  EXPECT_EQ(samples.all()[1].time, resident_samples::shortest_ns);
}

TEST(resident_samples, are_never_more_than_so_many_and_cover_the_whole_time) {
  resident_samples samples(static_cast<std::uint64_t>(getpid()));
  for (std::uint64_t i = 0; i < 5000; ++i) samples.add({i, 4096});
  EXPECT_LE(samples.all().size(), resident_samples::most);
  EXPECT_GE(samples.all().size(), resident_samples::most / 2);
  EXPECT_EQ(samples.all().front().time, 0u);
  EXPECT_GT(samples.all().back().time, 4900u);
}

TEST(resident_samples, of_a_process_that_is_not_there_are_none) {
  resident_samples samples(UINT32_MAX);
  samples.take(0);
  EXPECT_TRUE(samples.all().empty());
}

}  // namespace
}  // namespace mallard::profile
