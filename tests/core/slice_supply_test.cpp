// The supply of slices, as many as a test likes.
#include "mallard/detail/pages/slice_supply.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

#include "support/units.hpp"

namespace {

using namespace mallard::detail;
using mallard_test::kib;
using mallard_test::mib;

struct supply_with_limit {
  memory_budget budget{memory_budget::by_use};
  slice_supply supply{budget};
  ~supply_with_limit() { supply.trim(); }
};

TEST(slice_supply, two_do_not_meet) {
  supply_with_limit a;
  supply_with_limit b;
  b.supply.set_limit(mib);
  std::vector<void*> of_a;
  std::set<region*> regions_of_a;
  for (int i = 0; i < 200; ++i) {
    of_a.push_back(a.supply.take(16 * kib));
    ASSERT_NE(of_a.back(), nullptr);
    regions_of_a.insert(region::of(of_a.back()));
  }
  void* const of_b = b.supply.take(256 * kib);
  ASSERT_NE(of_b, nullptr);
  EXPECT_EQ(regions_of_a.count(region::of(of_b)), 0u);
  EXPECT_EQ(b.supply.usage().in_use_bytes, 256 * kib);
  EXPECT_EQ(b.supply.take(mib), nullptr);  // its own limit, and its alone
  for (void* p : of_a) a.supply.give(p, 16 * kib);
  a.supply.trim();
  EXPECT_EQ(a.supply.usage().regions, 0u);
  EXPECT_EQ(b.supply.usage().in_use_bytes, 256 * kib);
  std::memset(of_b, 1, 256 * kib);
  b.supply.give(of_b, 256 * kib);
}

TEST(slice_supply, runs_are_aligned_to_their_size_and_do_not_overlap) {
  supply_with_limit s;
  std::vector<std::pair<char*, std::size_t>> runs;
  for (unsigned i = 0; i < 400; ++i) {
    const std::size_t bytes = (16 * kib) << (i * 7 % 5);
    auto* const p = static_cast<char*>(s.supply.take(bytes));
    ASSERT_NE(p, nullptr);
    ASSERT_EQ(address_of(p) % bytes, 0u);
    std::memset(p, static_cast<int>(i % 251), bytes);
    runs.emplace_back(p, bytes);
  }
  for (unsigned i = 0; i < runs.size(); ++i) {
    for (std::size_t at = 0; at < runs[i].second; at += 4 * kib) {
      ASSERT_EQ(runs[i].first[at], static_cast<char>(i % 251));
    }
    s.supply.give(runs[i].first, runs[i].second);
  }
  EXPECT_EQ(s.supply.usage().in_use_bytes, 0u);
}

TEST(slice_supply, what_was_taken_before_a_limit_counts) {
  supply_with_limit s;
  void* const before = s.supply.take(256 * kib);
  s.supply.set_limit(512 * kib);
  void* const within = s.supply.take(256 * kib);
  EXPECT_NE(within, nullptr);
  EXPECT_EQ(s.supply.take(16 * kib), nullptr);
  s.supply.give(before, 256 * kib);
  void* const again = s.supply.take(256 * kib);
  EXPECT_NE(again, nullptr);
  s.supply.set_limit(memory_budget::none);
  void* const beyond = s.supply.take(256 * kib);
  EXPECT_NE(beyond, nullptr);
  for (void* p : {within, again, beyond}) s.supply.give(p, 256 * kib);
  s.supply.set_limit(16 * kib);
  void* const least = s.supply.take(16 * kib);
  EXPECT_NE(least, nullptr);
  s.supply.give(least, 16 * kib);
}

TEST(slice_supply, what_is_free_goes_when_the_budget_says_so) {
  supply_with_limit s;
  std::vector<void*> runs(64);
  for (void*& p : runs) p = s.supply.take(64 * kib);
  for (void* p : runs) s.supply.give(p, 64 * kib);
  EXPECT_EQ(s.supply.usage().dirty_bytes, 4 * mib);
  s.budget.set_most_kept(mib);
  s.supply.keep_to_budget();
  EXPECT_LE(s.supply.usage().dirty_bytes, mib);
  EXPECT_EQ(s.supply.trim() / mib, 1u);
}

TEST(slice_supply, regions_without_slices_in_use_go_as_time_passes_but_for_two) {
  supply_with_limit s;
  void* const in_use = s.supply.take_words(1);
  std::vector<void*> words(40 * region_words);
  for (void*& p : words) ASSERT_NE(p = s.supply.take_words(1), nullptr);
  const std::size_t most = s.supply.usage().regions;
  for (void* p : words) s.supply.put_back(&p, 1, slice_supply::word_bytes, 0);
  s.supply.decay();
  EXPECT_LT(s.supply.usage().regions, most);
  EXPECT_GE(s.supply.usage().regions, most - 16);  // no call waits for all
  for (int i = 0; i < 4; ++i) s.supply.decay();
  EXPECT_EQ(s.supply.usage().regions, 3u);
  void* const again = s.supply.take_words(region_words / 2);
  EXPECT_NE(again, nullptr);
  s.supply.give(again, region_words / 2 * slice_supply::word_bytes);
  s.supply.give(in_use, slice_supply::word_bytes);
}

}  // namespace
