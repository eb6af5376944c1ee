#include "mallard/detail/core/size_classes.hpp"

#include <gtest/gtest.h>

namespace {

using namespace mallard::detail;

// The class of a constant is a constant: that is what folds away in the direct binding.
static_assert(class_of(24) == class_of(17));
static_assert(class_bytes(class_of(24)) == 24);

TEST(size_classes, ascend_and_know_their_own_size) {
  for (unsigned c = 0; c < class_count; ++c) {
    EXPECT_EQ(class_of(class_bytes(c)), c);
    if (c != 0) {
      EXPECT_GT(class_bytes(c), class_bytes(c - 1));
    }
  }
  EXPECT_EQ(class_bytes(0), smallest_class_bytes);
  EXPECT_EQ(class_bytes(class_count - 1), largest_class_bytes);
}

TEST(size_classes, every_size_gets_the_smallest_class_that_holds_it) {
  for (std::size_t bytes = 1; bytes <= largest_class_bytes; ++bytes) {
    const unsigned c = class_of(bytes);
    ASSERT_GE(class_bytes(c), bytes);
    if (c != 0) {
      ASSERT_LT(class_bytes(c - 1), bytes);
    }
  }
}

TEST(size_classes, waste_is_bounded) {
  for (std::size_t bytes = smallest_class_bytes; bytes <= largest_class_bytes; ++bytes) {
    const std::size_t waste = class_bytes(class_of(bytes)) - bytes;
    // Steps of at most 16 bytes to 128, then four classes per doubling.
    ASSERT_LT(waste, bytes <= 128 ? 16 : bytes / 4 + 1) << bytes;
  }
}

TEST(size_classes, a_request_rounded_to_its_alignment_gets_an_aligned_class) {
  for (std::size_t alignment = 1; alignment <= largest_class_bytes; alignment *= 2) {
    for (std::size_t bytes = 1; bytes <= largest_class_bytes; bytes += bytes / 64 + 1) {
      const std::size_t request = class_request(bytes, alignment);
      if (!is_pooled(request)) continue;
      ASSERT_GE(request, bytes);
      ASSERT_EQ(class_bytes(class_of(request)) % alignment, 0u) << bytes << " at " << alignment;
    }
  }
}

TEST(size_classes, empty_wrapped_and_large_requests_are_not_pooled) {
  EXPECT_FALSE(is_pooled(class_request(0, 16)));
  EXPECT_FALSE(is_pooled(class_request(~std::size_t{0}, 16)));
  EXPECT_FALSE(is_pooled(class_request(~std::size_t{0} - 4094, 4096)));
  EXPECT_FALSE(is_pooled(class_request(largest_class_bytes + 1, 1)));
  EXPECT_FALSE(is_pooled(class_request(1, 2 * largest_class_bytes)));
  EXPECT_TRUE(is_pooled(class_request(largest_class_bytes, 1)));
  EXPECT_TRUE(is_pooled(class_request(1, largest_class_bytes)));
}

}  // namespace
