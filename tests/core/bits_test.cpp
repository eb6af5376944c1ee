#include "mallard/detail/bits.hpp"

#include <gtest/gtest.h>

namespace {

using namespace mallard::detail;

TEST(bits, round_up_reaches_the_next_multiple_and_wraps_to_zero) {
  static_assert(round_up(0, 16) == 0);
  static_assert(round_up(1, 16) == 16);
  static_assert(round_up(16, 16) == 16);
  static_assert(round_up(17, 16) == 32);
  EXPECT_EQ(round_up(~std::size_t{0}, 16), 0u);
  EXPECT_EQ(round_up(~std::size_t{0} - 14, 16), 0u);
  EXPECT_EQ(round_up(~std::size_t{0} - 15, 16), ~std::size_t{0} - 15);
}

TEST(bits, round_down_reaches_the_previous_multiple) {
  static_assert(round_down(15, 16) == 0);
  static_assert(round_down(31, 16) == 16);
  static_assert(round_down(32, 16) == 32);
}

TEST(bits, low_bits_covers_the_whole_word) {
  static_assert(low_bits(0) == 0);
  static_assert(low_bits(1) == 1);
  static_assert(low_bits(63) == ~std::uint64_t{0} >> 1);
  static_assert(low_bits(64) == ~std::uint64_t{0});
}

TEST(bits, aligned_start_finds_the_region) {
  alignas(256) char region[512];
  EXPECT_EQ(aligned_start<char>(region, 256), region);
  EXPECT_EQ(aligned_start<char>(region + 255, 256), region);
  EXPECT_EQ(aligned_start<char>(region + 256, 256), region + 256);
}

}  // namespace
