#include "mallard/detail/os/pages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "mallard/detail/os/memory_amounts.hpp"
#include "support/units.hpp"

namespace {

namespace os = mallard::detail::os;

using mallard_test::mib;

TEST(pages, a_mapping_is_aligned_zeroed_and_writable) {
  for (const std::size_t alignment : {os::page_bytes, os::huge_page_bytes, 16 * mib}) {
    for (const bool huge : {false, true}) {
      auto* const p = static_cast<unsigned char*>(os::map(3 * mib, alignment, huge));
      ASSERT_NE(p, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0u);
      EXPECT_EQ(p[0], 0);
      EXPECT_EQ(p[3 * mib - 1], 0);
      std::memset(p, 1, 3 * mib);
      os::unmap(p, 3 * mib);
    }
  }
}

TEST(pages, what_the_system_refuses_is_null) {
  EXPECT_EQ(os::map(~std::size_t{0} / 4, os::page_bytes, false), nullptr);
  EXPECT_EQ(os::reserve(~std::size_t{0} / 2), nullptr);
}

TEST(pages, reserved_pages_become_usable_by_commit) {
  auto* const p = static_cast<unsigned char*>(os::reserve(64 * mib));
  ASSERT_NE(p, nullptr);
  ASSERT_TRUE(os::commit(p, mib));
  std::memset(p, 1, mib);
  ASSERT_TRUE(os::commit(p + mib, mib));
  std::memset(p + mib, 2, mib);
  EXPECT_EQ(p[0], 1);
  os::unmap(p, 64 * mib);
}

TEST(pages, reserved_addresses_are_aligned_and_taken_once) {
  auto* const p = static_cast<unsigned char*>(os::reserve(16 * mib, 64 * mib));
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % (64 * mib), 0u);
  EXPECT_FALSE(os::reserve_at(p, mib));
  EXPECT_FALSE(os::reserve_at(p + 15 * mib, 2 * mib));
  os::unmap(p + 8 * mib, 8 * mib);
  EXPECT_TRUE(os::reserve_at(p + 8 * mib, mib));
  EXPECT_TRUE(os::commit(p + 7 * mib, 2 * mib));
  std::memset(p + 7 * mib, 1, 2 * mib);
  os::unmap(p, 9 * mib);
}

TEST(pages, zeros_become_usable_by_commit) {
  auto* const p = static_cast<unsigned char*>(os::map_zeros(4 * mib));
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(p[0], 0);
  EXPECT_EQ(p[4 * mib - 1], 0);
  ASSERT_TRUE(os::commit(p + mib, mib));
  p[mib] = p[2 * mib - 1] = 1;
  EXPECT_EQ(p[mib - 1], 0);
  os::unmap(p, 4 * mib);
}

TEST(pages_death, reserved_pages_are_not_usable_before) {
  auto* const p = static_cast<volatile unsigned char*>(os::reserve(mib));
  EXPECT_DEATH(p[0] = 1, "");
  os::unmap(const_cast<unsigned char*>(p), mib);
}

TEST(pages, purged_pages_are_zero_and_usable) {
  auto* const p = static_cast<unsigned char*>(os::map(2 * mib, os::page_bytes, false));
  std::memset(p, 1, 2 * mib);
  os::purge(p + mib, mib);
  EXPECT_EQ(p[mib - 1], 1);
  EXPECT_EQ(p[mib], 0);
  EXPECT_EQ(p[2 * mib - 1], 0);
  p[mib] = 2;
  os::unmap(p, 2 * mib);
}

TEST(pages, only_whole_pages_are_purged) {
  const std::size_t page = os::page_size();
  auto* const p = static_cast<unsigned char*>(os::map(16 * page, os::page_bytes, false));
  std::memset(p, 1, 16 * page);
  os::purge(p + page + 1, page - 1);
  os::purge(p + 3 * page + 1, 3 * page - 2);
  EXPECT_EQ(p[page], 1);
  EXPECT_EQ(p[2 * page - 1], 1);
  EXPECT_EQ(p[3 * page], 1);
  EXPECT_EQ(p[4 * page - 1], 1);
  EXPECT_EQ(p[4 * page], 0);
  EXPECT_EQ(p[5 * page - 1], 0);
  EXPECT_EQ(p[5 * page], 1);
  EXPECT_EQ(p[6 * page - 1], 1);
  os::unmap(p, 16 * page);
}

TEST(pages, moved_pages_keep_what_they_hold_and_leave_zeroes_behind) {
  auto* const from = static_cast<unsigned char*>(os::map(4 * mib, os::page_bytes, false));
  auto* const to = static_cast<unsigned char*>(os::map(4 * mib, os::page_bytes, false));
  std::memset(from, 1, 4 * mib);
  ASSERT_TRUE(os::move(from + mib, 2 * mib, to + mib));
  EXPECT_EQ(from[mib - 1], 1);
  EXPECT_EQ(from[mib], 0);
  EXPECT_EQ(from[3 * mib], 1);
  EXPECT_EQ(to[mib - 1], 0);
  EXPECT_EQ(to[mib], 1);
  EXPECT_EQ(to[3 * mib - 1], 1);
  EXPECT_EQ(to[3 * mib], 0);
  from[mib] = to[mib] = 2;
  EXPECT_FALSE(os::move(from + 1, os::page_bytes, to));
  EXPECT_EQ(from[0], 1);
  os::unmap(from, 4 * mib);
  os::unmap(to, 4 * mib);
}

TEST(pages, time_and_memory_are_sensible) {
  const auto before = os::milliseconds();
  EXPECT_GE(os::milliseconds(), before);
  EXPECT_GT(os::physical_memory_bytes(), 16 * mib);
  EXPECT_GE(os::most_mappings(), 1'000u);
  EXPECT_GT(os::most_memory(), 16 * mib);
  EXPECT_LE(os::most_memory(), os::physical_memory_bytes());
}

}  // namespace
