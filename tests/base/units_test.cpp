#include "base/units.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace mallard::base;

TEST(units, figures_have_three_significant_digits) {
  EXPECT_EQ(figure_text(1.234), "1.23");
  EXPECT_EQ(figure_text(12.34), "12.3");
  EXPECT_EQ(figure_text(123.4), "123");
  EXPECT_EQ(figure_text(12345), "12345");
  EXPECT_EQ(figure_text(9.999), "10.0");
  EXPECT_EQ(figure_text(99.96), "100");
  EXPECT_EQ(figure_text(0.012345), "0.0123");
  EXPECT_EQ(figure_text(0.99951), "1.00");
  EXPECT_EQ(figure_text(0), "0.00");
  EXPECT_EQ(figure_text(-1.234), "-1.23");
}

TEST(units, bytes_are_exact_below_a_kibibyte_and_know_gibibytes) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1), "1 B");
  EXPECT_EQ(bytes_text(1000), "1000 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1024), "1 KiB");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(10.2 * 1048576), "10.2 MiB");
  EXPECT_EQ(bytes_text(std::ldexp(1, 30)), "1 GiB");
  EXPECT_EQ(bytes_text(1.25 * std::ldexp(1, 30)), "1.25 GiB");
  EXPECT_EQ(bytes_text(std::ldexp(3, 40)), "3 TiB");
}

TEST(units, rounding_up_passes_to_the_next_unit) {
  EXPECT_EQ(bytes_text(1048575), "1 MiB");
  EXPECT_EQ(bytes_text(1000.0 * 1024), "1000 KiB");
  EXPECT_EQ(time_text(0.9999999), "1 s");
  EXPECT_EQ(count_text(999'999), "1 M");
}

TEST(units, times_are_in_the_largest_unit_that_there_is_one_of) {
  EXPECT_EQ(time_text(0), "0 s");
  EXPECT_EQ(time_text(1.5), "1.5 s");
  EXPECT_EQ(time_text(0.02), "20 ms");
  EXPECT_EQ(time_text(3e-4), "300 us");
  EXPECT_EQ(time_text(5e-9), "5 ns");
  EXPECT_EQ(time_text(3600), "3600 s");
  EXPECT_EQ(time_text(1e-10), "0.1 ns");
}

TEST(units, counts_are_exact_below_a_thousand) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(950), "950");
  EXPECT_EQ(count_text(12'345), "12.3 k");
  EXPECT_EQ(count_text(1'230'000), "1.23 M");
}

TEST(units, only_all_is_a_hundred_per_cent) {
  EXPECT_EQ(share_text(0), "0 %");
  EXPECT_EQ(share_text(0.005), "0.5 %");
  EXPECT_EQ(share_text(0.123), "12 %");
  EXPECT_EQ(share_text(0.99999), "99.9 %");
  EXPECT_EQ(share_text(1), "100 %");
}

}  // namespace
