#include "mallard/detail/memory/extent_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "support/instrumented.hpp"

namespace {

using mallard::detail::extent_tree;

constexpr std::size_t range_bytes = 1 << 20;
alignas(16384) std::byte range[range_bytes];

struct tree : extent_tree {
  tree() {
    start(range, range_bytes);
    give(range, range_bytes);
  }
};

// Free extents, by address, as the tree itself tells.
std::vector<std::pair<std::size_t, std::size_t>> free_parts(const extent_tree& t) {
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  t.for_each_free(
      [&](std::byte* p, std::size_t bytes) { parts.emplace_back(p - range - 16, bytes + 16); });
  return parts;
}

TEST(extent_tree, takes_the_lowest_that_fits_and_joins_what_comes_back) {
  tree t;
  auto* const a = t.take(100, 16);
  auto* const b = t.take(4096, 16);
  auto* const c = t.take(100, 16);
  EXPECT_EQ(a, range);
  EXPECT_EQ(b, range + 112);
  t.give(b, 4096);
  EXPECT_EQ(t.take(50, 16), b);
  t.give(b, 50);
  t.give(a, 100);
  EXPECT_EQ(free_parts(t).size(), 2u);
  t.give(c, 100);
  EXPECT_EQ(free_parts(t), (std::vector<std::pair<std::size_t, std::size_t>>{{0, range_bytes}}));
}

TEST(extent_tree, slabs_that_are_aligned_to_themselves_leave_no_gaps) {
  tree t;
  std::vector<void*> slabs;
  while (void* const p = t.take(16384, 16384)) slabs.push_back(p);
  EXPECT_EQ(slabs.size(), range_bytes / 16384);
  // A hole of exactly the right place is used again, also among holes that are none.
  t.give(slabs[7], 16384);
  EXPECT_EQ(t.take(16384, 16384), slabs[7]);
}

TEST(extent_tree, finds_an_aligned_place_behind_many_that_are_none) {
  tree t;
  std::vector<void*> pages;
  while (void* const p = t.take(1024, 1024)) pages.push_back(p);
  for (std::size_t i = 1; i + 8 < pages.size(); i += 4) t.give(pages[i], 2048);  // never at 4096
  t.give(pages[pages.size() - 8], 8192);
  EXPECT_EQ(t.take(2048, 4096), pages[pages.size() - 8]);
}

TEST(extent_tree, agrees_with_a_model) {
  tree t;
  struct block {
    std::size_t bytes;
    unsigned char mark;
  };
  std::map<std::byte*, block> live;
  std::mt19937 random(7);
  std::size_t in_use = 0;
  const int steps = mallard_test::instrumented ? 5000 : 50'000;
  for (int step = 0; step < steps; ++step) {
    const bool take = live.empty() || random() % 100 < (step / 5000 % 2 == 0 ? 65u : 35u);
    if (take) {
      const std::size_t bytes = 1 + random() % (random() % 10 == 0 ? 20'000 : 300);
      const std::size_t alignment = std::size_t{1} << random() % 13;
      auto* const p = static_cast<std::byte*>(t.take(bytes, alignment));
      if (p == nullptr) continue;
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0u);
      const auto next = live.lower_bound(p);
      ASSERT_TRUE(next == live.end() || p + bytes <= next->first);
      ASSERT_TRUE(next == live.begin() ||
                  std::prev(next)->first + std::prev(next)->second.bytes <= p);
      const auto mark = static_cast<unsigned char>(random());
      std::memset(p, mark, bytes);
      live[p] = {bytes, mark};
      in_use += (bytes + 15) / 16 * 16;
    } else {
      auto at = live.begin();
      std::advance(at, random() % live.size());
      const auto [p, b] = *at;
      const auto is_mark = [mark = b.mark](std::byte c) { return c == std::byte{mark}; };
      ASSERT_TRUE(std::all_of(p, p + b.bytes, is_mark));
      live.erase(at);
      t.give(p, b.bytes);
      in_use -= (b.bytes + 15) / 16 * 16;
    }
    ASSERT_EQ(t.free_bytes(), range_bytes - in_use);
  }
  // Free parts are in order, and no two of them are neighbours.
  std::size_t end = 0;
  for (const auto& [begin, bytes] : free_parts(t)) {
    EXPECT_TRUE(begin > end || (begin == 0 && end == 0));
    end = begin + bytes;
  }
  for (const auto& [p, b] : live) t.give(p, b.bytes);
  EXPECT_EQ(free_parts(t), (std::vector<std::pair<std::size_t, std::size_t>>{{0, range_bytes}}));
}

TEST(extent_tree, granules_grow_with_ranges_whose_parts_could_not_be_numbered) {
  EXPECT_EQ(extent_tree::granule_for(1), 16u);
  EXPECT_EQ(extent_tree::granule_for(std::size_t{1} << 35), 16u);
  EXPECT_EQ(extent_tree::granule_for(std::size_t{1} << 40), 512u);
}

}  // namespace
