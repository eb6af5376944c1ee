#include "mallard/detail/resources/array_space.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "mallard/checks/test_resource.hpp"
#include "mallard/page_source.hpp"

namespace {

using mallard::detail::array_space;

class array_space_test : public testing::Test {
 protected:
  ~array_space_test() override { space.release(false); }

  mallard::test_resource upstream;
  array_space space{&upstream};
};

TEST_F(array_space_test, blocks_share_a_segment_and_are_aligned) {
  void* const a = space.allocate(1000, 16, false);
  void* const b = space.allocate(5000, 256, false);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b) % 256, 0U);
  EXPECT_GE(array_space::payload_bytes(a), 1000U);
  EXPECT_GE(array_space::payload_bytes(b), 5000U);
  EXPECT_EQ(upstream.counts().in_use_blocks, 1U);
  EXPECT_EQ(space.blocks(), 2U);
  EXPECT_EQ(space.reserved_bytes() <= upstream.counts().in_use_bytes, true);
  space.deallocate(a);
  space.deallocate(b);
  EXPECT_EQ(space.blocks(), 0U);
  EXPECT_EQ(space.in_use_bytes(), 0U);
}

TEST_F(array_space_test, free_neighbours_become_one_block) {
  void* const a = space.allocate(20000, 16, false);
  void* const b = space.allocate(20000, 16, false);
  void* const behind = space.allocate(100, 16, false);
  space.deallocate(a);
  space.deallocate(b);
  void* const both = space.allocate(38000, 16, false);
  EXPECT_EQ(both, a);
  EXPECT_EQ(upstream.counts().in_use_blocks, 1U);
  space.deallocate(both);
  space.deallocate(behind);
}

TEST_F(array_space_test, a_block_grows_into_what_is_free_behind_and_before_it) {
  void* const before = space.allocate(10000, 16, false);
  void* const p = space.allocate(10000, 16, false);
  void* const behind = space.allocate(10000, 16, false);
  void* const last = space.allocate(100, 16, false);
  EXPECT_EQ(space.expand(p, 15000, 15000), 0U);
  space.deallocate(behind);
  EXPECT_GE(space.expand(p, 15000, 15000), 15000U);
  EXPECT_EQ(space.expand_backward(p, 20000, 20000, 16), nullptr);
  space.deallocate(before);
  void* const front = space.expand_backward(p, 20000, 20000, 16);
  ASSERT_NE(front, nullptr);
  EXPECT_LT(front, p);
  EXPECT_GE(array_space::payload_bytes(front), 20000U);
  EXPECT_EQ(upstream.counts().in_use_blocks, 1U);
  space.deallocate(front);
  space.deallocate(last);
}

TEST_F(array_space_test, what_a_block_no_longer_needs_is_free) {
  void* const p = space.allocate(40000, 16, false);
  void* const behind = space.allocate(100, 16, false);
  EXPECT_LT(space.shrink(p, 10000), 20000U);
  void* const in_between = space.allocate(20000, 16, false);
  EXPECT_GT(in_between, p);
  EXPECT_LT(in_between, behind);
  EXPECT_EQ(upstream.counts().in_use_blocks, 1U);
  for (void* const one : {p, behind, in_between}) space.deallocate(one);
}

TEST_F(array_space_test, segments_without_blocks_go_back_by_trim_and_others_stay) {
  void* const small = space.allocate(100, 16, false);
  void* const large = space.allocate(3 << 20, 16, false);
  EXPECT_EQ(upstream.counts().in_use_blocks, 2U);
  EXPECT_EQ(space.trim(), 0U);
  space.deallocate(large);
  EXPECT_EQ(upstream.counts().in_use_blocks, 2U);
  EXPECT_GE(space.trim(), std::size_t{3} << 20);
  EXPECT_EQ(upstream.counts().in_use_blocks, 1U);
  space.deallocate(small);
  space.trim();
  EXPECT_EQ(upstream.counts().in_use_blocks, 0U);
}

TEST_F(array_space_test, release_gives_all_segments_back) {
  for (int i = 0; i < 50; ++i) space.allocate(100000, 16, false);
  EXPECT_GT(upstream.counts().in_use_blocks, 2U);
  space.release(false);
  EXPECT_EQ(upstream.counts().in_use_blocks, 0U);
  EXPECT_EQ(space.blocks(), 0U);
}

TEST_F(array_space_test, what_upstream_throws_comes_through_and_changes_nothing) {
  void* const p = space.allocate(100, 16, false);
  upstream.fail_after(0);
  EXPECT_THROW(space.allocate(10 << 20, 16, false), std::bad_alloc);
  EXPECT_THROW(space.allocate(~std::size_t{0} / 2, 16, false), std::bad_alloc);
  EXPECT_EQ(space.try_allocate(10 << 20, 16, false), nullptr);
  EXPECT_EQ(space.blocks(), 1U);
  space.deallocate(p);
}

TEST(array_space_of_pages, a_block_that_will_grow_has_room_of_its_own) {
  array_space space{mallard::page_source::instance()};
  constexpr std::size_t bytes = array_space::lone_bytes;
  auto* const p = static_cast<std::byte*>(space.allocate(bytes, 16, true));
  ASSERT_EQ(space.lone_blocks(), 1U);
  std::memset(p, 'x', bytes);
  // It grows where it is.
  const std::size_t grown = space.expand(p, 4 * bytes, 4 * bytes);
  EXPECT_GE(grown, 4 * bytes);
  std::memset(p + bytes, 'y', 3 * bytes);
  EXPECT_EQ(p[bytes - 1], std::byte{'x'});
  // Not so small ones, and those that will not grow.
  void* const small = space.allocate(bytes / 2, 16, true);
  void* const fixed = space.allocate(bytes, 16, false);
  EXPECT_EQ(space.lone_blocks(), 1U);
  for (void* const one : {static_cast<void*>(p), small, fixed}) space.deallocate(one);
  EXPECT_EQ(space.lone_blocks(), 0U);
  EXPECT_EQ(space.in_use_bytes(), 0U);
  space.release(false);
}

TEST(array_space_of_pages, pages_that_move_keep_what_is_in_them) {
  array_space space{mallard::page_source::instance()};
  constexpr std::size_t bytes = std::size_t{2} << 20;
  auto* const p = static_cast<std::byte*>(space.allocate(bytes, 16, true));
  for (std::size_t i = 0; i < bytes; i += 1000) p[i] = static_cast<std::byte>(i / 1000);
  void* const moved = space.move(p, bytes, 8 * bytes);
  if (moved == nullptr) {  // the system need not be able to
    EXPECT_EQ(space.blocks(), 1U);
    space.deallocate(p);
  } else {
    EXPECT_GE(array_space::payload_bytes(moved), 8 * bytes);
    const auto* const now = static_cast<const std::byte*>(moved);
    for (std::size_t i = 0; i < bytes; i += 1000) {
      ASSERT_EQ(now[i], static_cast<std::byte>(i / 1000)) << i;
    }
    space.deallocate(moved);
  }
  EXPECT_EQ(space.blocks(), 0U);
  space.release(false);
}

}  // namespace
