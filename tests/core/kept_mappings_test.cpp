// The cache of mappings, whose clock stands still until it is told otherwise. It makes no system
// calls: the mappings are pages of an array, whatever their sizes are said to be.
#include "mallard/detail/pages/kept_mappings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "support/units.hpp"

namespace {

using namespace mallard::detail;
using mallard_test::kib;
using mallard_test::mib;

unsigned long long now = 1000;
unsigned long long the_time() noexcept {
  return now;
}

class kept_mappings_test : public testing::Test {
 protected:
  kept_mappings_test() { now = 1000; }

  void* page(std::size_t i) { return pages[i].data(); }
  // The pages of those that have to go, oldest first.
  std::vector<void*> gone() {
    std::vector<void*> out;
    while (kept_mapping* const m = kept.next_to_go()) out.push_back(m);
    return out;
  }
  void set_limit(std::size_t bytes) { kept.set_idle_limit(bytes, bytes); }

  alignas(64) std::array<std::array<std::byte, 64>, 16> pages{};
  kept_mappings kept{1000 * mib, SIZE_MAX, the_time};
};

TEST_F(kept_mappings_test, what_is_kept_is_taken_again) {
  EXPECT_TRUE(kept.keep(page(0), mib, 0));
  EXPECT_EQ(kept.bytes(), mib);
  EXPECT_EQ(kept.take(mib, mib), page(0));
  EXPECT_EQ(kept.bytes(), 0u);
  EXPECT_EQ(kept.take(mib, mib), nullptr);
}

TEST_F(kept_mappings_test, a_mapping_of_any_size_between_the_two_serves) {
  for (std::size_t bytes = 256 * kib; bytes < std::size_t{1} << 44; bytes += bytes / 7 + 4 * kib) {
    ASSERT_TRUE(kept.keep(page(0), bytes, SIZE_MAX / 2)) << bytes;
    ASSERT_EQ(kept.take(bytes + 1, 2 * bytes), nullptr) << bytes;
    ASSERT_EQ(kept.take(bytes / 2, bytes - 1), nullptr) << bytes;
    ASSERT_EQ(kept.take(bytes - bytes / 3, bytes + bytes / 3), page(0)) << bytes;
  }
}

TEST_F(kept_mappings_test, the_smallest_step_that_serves_is_taken_first) {
  ASSERT_TRUE(kept.keep(page(0), 15 * mib, 0));
  ASSERT_TRUE(kept.keep(page(1), 9 * mib, 0));
  ASSERT_TRUE(kept.keep(page(2), 18 * mib, 0));
  EXPECT_EQ(kept.take(8 * mib, 16 * mib), page(1));
  EXPECT_EQ(kept.take(8 * mib, 16 * mib), page(0));
  EXPECT_EQ(kept.take(8 * mib, 16 * mib), nullptr);
}

TEST_F(kept_mappings_test, keeps_no_more_than_its_limit_and_the_newest) {
  set_limit(3 * mib);
  for (std::size_t i = 0; i < 5; ++i) ASSERT_TRUE(kept.keep(page(i), mib, 0));
  EXPECT_EQ(gone(), (std::vector{page(0), page(1)}));
  EXPECT_EQ(kept.bytes(), 3 * mib);
  set_limit(mib);
  EXPECT_EQ(gone(), (std::vector{page(2), page(3)}));
}

TEST_F(kept_mappings_test, what_is_more_than_the_limit_alone_drives_nothing_else_out) {
  set_limit(3 * mib);
  ASSERT_TRUE(kept.keep(page(0), mib, 0));
  EXPECT_FALSE(kept.keep(page(1), 4 * mib, 0));
  EXPECT_TRUE(gone().empty());
  set_limit(0);
  EXPECT_EQ(gone().size(), 1u);
  EXPECT_FALSE(kept.keep(page(1), mib, 0));
}

TEST_F(kept_mappings_test, everything_goes_when_it_is_cleared) {
  ASSERT_TRUE(kept.keep(page(0), mib, 0));
  ASSERT_TRUE(kept.keep(page(1), 100 * mib, 0));
  EXPECT_TRUE(kept.clear());
  EXPECT_EQ(gone().size(), 2u);
  EXPECT_FALSE(kept.clear());
}

TEST_F(kept_mappings_test, half_of_what_nobody_needed_for_a_while_goes) {
  for (std::size_t i = 0; i < 8; ++i) ASSERT_TRUE(kept.keep(page(i), mib, 0));
  const auto next_second = [&] {
    now += idle_policy::decay_milliseconds;
    kept_mapping* const m = kept.take(mib, mib);
    ASSERT_NE(m, nullptr);
    kept.keep(m, mib, 0);
    kept.decay();
    gone();
  };
  kept.decay();  // only starts the watch
  EXPECT_TRUE(gone().empty());
  next_second();
  EXPECT_EQ(kept.bytes(), 4 * mib);
  for (int i = 0; i < 10; ++i) next_second();
  EXPECT_EQ(kept.bytes(), mib);  // the one in use stays
}

TEST_F(kept_mappings_test, what_is_needed_again_and_again_stays) {
  for (int turn = 0; turn < 20; ++turn) {
    for (std::size_t i = 0; i < 4; ++i) ASSERT_TRUE(kept.keep(page(i), mib, 0));
    kept.decay();
    ASSERT_TRUE(gone().empty());
    for (std::size_t i = 0; i < 4; ++i) ASSERT_NE(kept.take(mib, mib), nullptr);
    now += idle_policy::decay_milliseconds;
  }
}

// Given back once, it is kept from then on.
TEST_F(kept_mappings_test, what_is_asked_for_again_at_once_is_regretted_the_first_time) {
  kept.set_idle_limit(mib, SIZE_MAX);
  EXPECT_FALSE(kept.keep(page(0), 10 * mib, 0));
  EXPECT_EQ(kept.take(10 * mib, 20 * mib), nullptr);
  EXPECT_TRUE(kept.keep(page(0), 10 * mib, 0));
  EXPECT_TRUE(gone().empty());
}

TEST_F(kept_mappings_test, what_nothing_was_asked_for_like_is_not_regretted) {
  kept.set_idle_limit(mib, SIZE_MAX);
  EXPECT_FALSE(kept.keep(page(0), 10 * mib, 0));
  EXPECT_EQ(kept.take(3 * mib, 6 * mib), nullptr);
  EXPECT_EQ(kept.take(11 * mib, 22 * mib), nullptr);
  EXPECT_FALSE(kept.keep(page(0), 10 * mib, 0));
}

}  // namespace
