// The cache of mappings, whose clock stands still until it is told otherwise.
#include "mallard/detail/pages/kept_mappings.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "mallard/detail/core/annotate.hpp"
#include "support/units.hpp"

namespace {

using namespace mallard::detail;
using mallard_test::kib;
using mallard_test::mib;

unsigned long long now = 1000;
unsigned long long the_time() noexcept {
  return now;
}

std::size_t resident_bytes = 0;
std::size_t the_resident_bytes() noexcept {
  return resident_bytes;
}

std::size_t memory_bytes = 0;
std::size_t the_memory() noexcept {
  return memory_bytes;
}

class kept_mappings_test : public testing::Test {
 protected:
  kept_mappings_test() {
    now = 1000;
    resident_bytes = SIZE_MAX;
    memory_bytes = SIZE_MAX;
  }
  ~kept_mappings_test() override { kept.trim(); }

  // Maps so much, gives it and says where it was.
  void* give(std::size_t bytes) {
    void* const p = os::map(bytes, os::page_bytes, false);
    EXPECT_NE(p, nullptr);
    begin_leak_scan(p, bytes);
    kept.give(p, bytes);
    return p;
  }
  // Whether it was there; then it goes.
  bool takes(void* expected, std::size_t least, std::size_t most) {
    void* const p = kept.take(least, most);
    if (p != nullptr) taken.push_back(p);
    return p == expected;
  }
  void set_limit(std::size_t bytes) {
    budget.set_most_kept(bytes);
    kept.keep_to_budget();
  }

  memory_budget budget{memory_budget::none, the_resident_bytes, the_memory};
  kept_mappings kept{budget, the_time};
  std::vector<void*> taken;  // stays mapped, so that no other one is there
};

TEST_F(kept_mappings_test, what_is_kept_is_taken_again) {
  void* const p = give(mib);
  EXPECT_EQ(kept.bytes(), mib);
  EXPECT_TRUE(takes(p, mib, mib));
  EXPECT_EQ(kept.bytes(), 0u);
  EXPECT_TRUE(takes(nullptr, mib, mib));
  EXPECT_EQ(kept.unmaps(), 0u);
}

TEST_F(kept_mappings_test, a_mapping_of_any_size_between_the_two_serves) {
  for (std::size_t bytes = 256 * kib; bytes < 4000 * mib; bytes += bytes / 28 * 4 / kib * kib) {
    void* const p = give(bytes);
    ASSERT_EQ(kept.bytes(), bytes);
    ASSERT_TRUE(takes(nullptr, bytes + 1, 2 * bytes)) << bytes;
    ASSERT_TRUE(takes(nullptr, bytes / 2, bytes - 1)) << bytes;
    ASSERT_TRUE(takes(p, bytes - bytes / 3, bytes + bytes / 3)) << bytes;
    kept.unmap(p, bytes);
  }
}

TEST_F(kept_mappings_test, a_step_is_at_most_an_eighth) {
  for (std::size_t bytes = 256 * kib; bytes < 64 * mib; bytes += bytes / 100 + 1) {
    const std::size_t step = kept_mappings::step_of(bytes);
    ASSERT_GE(step, bytes);
    ASSERT_LE(step, bytes + bytes / 8 + 1);
    ASSERT_EQ(step % os::page_bytes, 0u);
  }
}

TEST_F(kept_mappings_test, the_smallest_step_that_serves_is_taken_first) {
  void* const a = give(15 * mib);
  void* const b = give(9 * mib);
  give(18 * mib);
  EXPECT_TRUE(takes(b, 8 * mib, 16 * mib));
  EXPECT_TRUE(takes(a, 8 * mib, 16 * mib));
  EXPECT_TRUE(takes(nullptr, 8 * mib, 16 * mib));
}

TEST_F(kept_mappings_test, keeps_no_more_than_its_limit_and_the_newest) {
  set_limit(3 * mib);
  for (int i = 0; i < 3; ++i) give(mib);
  EXPECT_EQ(kept.unmaps(), 0u);
  void* const newer = give(mib + 128 * kib);
  EXPECT_EQ(kept.unmaps(), 2u);
  set_limit(2 * mib);
  EXPECT_EQ(kept.unmaps(), 3u);
  EXPECT_TRUE(takes(newer, mib + 128 * kib, 2 * mib));
}

TEST_F(kept_mappings_test, what_is_more_than_the_limit_alone_drives_nothing_else_out) {
  set_limit(3 * mib);
  give(mib);
  give(4 * mib);
  EXPECT_EQ(kept.bytes(), mib);
  EXPECT_EQ(kept.unmaps(), 1u);
}

TEST_F(kept_mappings_test, with_a_limit_of_zero_everything_goes_straight_back) {
  give(mib);
  set_limit(0);
  EXPECT_EQ(kept.unmaps(), 1u);
  give(mib);
  EXPECT_EQ(kept.bytes(), 0u);
  EXPECT_EQ(kept.unmaps(), 2u);
}

TEST_F(kept_mappings_test, trim_gives_everything_back_and_says_how_much) {
  give(mib);
  give(100 * mib);
  EXPECT_EQ(kept.trim(), 101 * mib);
  EXPECT_EQ(kept.bytes(), 0u);
  EXPECT_EQ(kept.trim(), 0u);
}

TEST_F(kept_mappings_test, half_of_what_nobody_needed_for_a_while_goes) {
  for (int i = 0; i < 8; ++i) give(mib);
  const auto next_second = [&] {
    now += idle_decay::milliseconds;
    void* const p = kept.take(mib, mib);
    ASSERT_NE(p, nullptr);
    kept.give(p, mib);
    kept.decay();
  };
  kept.decay();  // only starts the watch
  EXPECT_EQ(kept.bytes(), 8 * mib);
  next_second();
  EXPECT_EQ(kept.bytes(), 4 * mib);
  for (int i = 0; i < 10; ++i) next_second();
  EXPECT_EQ(kept.bytes(), mib);  // the one in use stays
}

TEST_F(kept_mappings_test, what_came_after_a_trim_was_not_idle_before_it) {
  give(mib);
  kept.decay();
  kept.trim();
  void* const p = give(mib);
  now += idle_decay::milliseconds;
  kept.decay();
  EXPECT_TRUE(takes(p, mib, mib));
}

TEST_F(kept_mappings_test, what_is_needed_again_and_again_stays) {
  void* chunks[4];
  for (void*& p : chunks) {
    p = os::map(mib, os::page_bytes, false);
    begin_leak_scan(p, mib);
  }
  for (int turn = 0; turn < 20; ++turn) {
    for (void* p : chunks) kept.give(p, mib);
    kept.decay();
    for (void*& p : chunks) ASSERT_NE(p = kept.take(mib, mib), nullptr);
    now += idle_decay::milliseconds;
  }
  for (void* p : chunks) kept.unmap(p, mib);
}

TEST_F(kept_mappings_test, a_quarter_of_the_recent_peak_stays_within_bounds) {
  budget.set_most_kept(memory_budget::by_use);
  const auto kept_after = [&](std::size_t peak) {
    budget.mappings.in_use.store(peak);
    budget.note_use();
    budget.mappings.in_use.store(0);
    for (int i = 0; i < 300; ++i) give(mib);
    const std::size_t bytes = kept.bytes();
    kept.trim();
    return bytes / mib;
  };
  EXPECT_EQ(kept_after(0), 64u);
  EXPECT_EQ(kept_after(90 * mib), 122u);
  EXPECT_EQ(kept_after(300 * mib), 128u);
  EXPECT_EQ(kept_after(600 * mib), 150u);
  EXPECT_EQ(kept_after(4000 * mib), 256u);
  // After half a minute the peak is forgotten.
  for (int i = 0; i < 60; ++i) budget.forget_peak();
  EXPECT_EQ(kept_after(0), 64u);
}

// How many of 300 mappings of a mebibyte stay by the rules.
std::size_t kept_mib(std::size_t resident, std::size_t memory) {
  resident_bytes = resident;
  memory_bytes = memory;
  memory_budget by_use(memory_budget::by_use, the_resident_bytes, the_memory);
  by_use.look_at_memory();
  kept_mappings all(by_use, the_time);
  for (int i = 0; i < 300; ++i) {
    void* const p = os::map(mib, os::page_bytes, false);
    begin_leak_scan(p, mib);
    all.give(p, mib);
  }
  const std::size_t bytes = all.bytes();
  all.trim();
  return bytes / mib;
}

TEST_F(kept_mappings_test, everything_stays_while_little_of_it_can_be_resident) {
  EXPECT_EQ(kept_mib(20 * mib, SIZE_MAX), 300u);
  EXPECT_EQ(kept_mib(65 * mib, SIZE_MAX), 64u);
}

TEST_F(kept_mappings_test, an_eighth_of_what_a_container_may_have_stays) {
  EXPECT_EQ(kept_mib(SIZE_MAX, 256 * mib), 32u);
  EXPECT_EQ(kept_mib(SIZE_MAX, 20 * mib), 8u);
  EXPECT_EQ(kept_mib(SIZE_MAX, 4096 * mib), 64u);
}

// The system limits their number.
TEST_F(kept_mappings_test, no_more_than_some_thousand_stay_however_small) {
  void* const oldest = give(16 * kib);
  for (int i = 0; i < 4'100; ++i) give(4 * kib);
  EXPECT_EQ(kept.bytes(), 4'096 * 4 * kib);
  EXPECT_TRUE(takes(nullptr, 16 * kib, 16 * kib)) << oldest;
}

// Once it may not stay, it goes bit by bit, and what comes then does not stay in its place.
TEST_F(kept_mappings_test, who_gives_a_mapping_waits_for_few_others_to_go) {
  for (int i = 0; i < 300; ++i) give(mib);
  budget.set_most_kept(64 * mib);
  const std::size_t before = kept.unmaps();
  const void* const last = give(mib);
  EXPECT_LE(kept.unmaps() - before, 5u);
  EXPECT_NE(kept.take(mib, mib), last);
  for (int i = 0; i < 100; ++i) give(mib);
  EXPECT_EQ(kept.bytes(), 64 * mib);
}

TEST_F(kept_mappings_test, who_finds_the_lock_held_does_without) {
  give(mib);
  kept.lock().lock();
  std::thread([&] {
    EXPECT_EQ(kept.take(mib, mib), nullptr);
    give(mib);
  }).join();
  kept.lock().unlock();
  EXPECT_EQ(kept.unmaps(), 1u);
  EXPECT_EQ(kept.bytes(), mib);
}

}  // namespace
