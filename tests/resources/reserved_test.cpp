#include "mallard/reserved.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "mallard/detail/core/annotate.hpp"
#include "support/addresses.hpp"
#include "support/expect_passed.hpp"
#include "support/footprint.hpp"
#include "support/require.hpp"
#include "support/units.hpp"

namespace {

using mallard::reserved_options;
using mallard::reserved_resource;

using mallard_test::mib;

using mallard_test::bytes_of;

TEST(reserved_resource, is_one_contiguous_block) {
  reserved_resource memory(reserved_options{.reserve_bytes = 64 * mib});
  std::byte* expected = bytes_of(memory.allocate(1000, 1)) + 1000;
  for (std::size_t i = 1; i < 40; ++i) {
    EXPECT_EQ(memory.allocate(i * 20000, 1), expected);
    std::memset(expected, 0x5A, i * 20000);
    expected += i * 20000;
  }
  EXPECT_EQ(memory.stats().chunks, 1u);
}

TEST(reserved_resource, throws_at_its_limit_and_goes_on_below_it) {
  reserved_resource memory(reserved_options{.reserve_bytes = mib});
  (void)memory.allocate(mib / 2, 1);
  EXPECT_THROW((void)memory.allocate(mib, 1), std::bad_alloc);
  EXPECT_EQ(memory.try_allocate(mib, 1), nullptr);
  EXPECT_EQ(memory.stats().in_use_bytes, mib / 2);
  void* const rest = memory.allocate(mib / 2, 1);  // to the last byte
  std::memset(rest, 0x5A, mib / 2);
  EXPECT_THROW((void)memory.allocate(1, 1), std::bad_alloc);
  memory.rewind();
  (void)memory.allocate(mib, 1);
}

TEST(reserved_resource, the_first_block_may_be_all_of_it) {
  for (const std::size_t alignment : {1u, 16u, 4096u}) {
    reserved_resource memory(reserved_options{.reserve_bytes = mib});
    std::memset(memory.allocate(mib, alignment), 0x5A, mib);
    EXPECT_EQ(memory.try_allocate(1, 1), nullptr);
    memory.release();
    EXPECT_EQ(memory.try_allocate(mib + 1, alignment), nullptr);
  }
}

TEST(reserved_resource, commits_only_what_is_needed) {
  reserved_resource memory(reserved_options{.reserve_bytes = std::size_t{16} << 30});
  EXPECT_EQ(memory.stats().reserved_bytes, 0u);
  (void)memory.allocate(100000);
  EXPECT_GE(memory.stats().reserved_bytes, 100000u);
  EXPECT_LE(memory.stats().reserved_bytes, mib);
}

TEST(reserved_resource, empty_blocks_commit_no_more_than_others) {
  reserved_resource memory(reserved_options{.reserve_bytes = 64 * mib});
  for (int i = 0; i < 100; ++i) (void)memory.allocate(0);
  EXPECT_LE(memory.stats().reserved_bytes, 64u * 1024);
}

TEST(reserved_resource, the_last_block_grows_for_as_long_as_there_is_room) {
  reserved_resource memory(reserved_options{.reserve_bytes = 16 * mib});
  void* const p = memory.allocate(100, 1);
  std::memset(p, 0x5A, 100);
  ASSERT_EQ(memory.try_expand(p, 100, 8 * mib), 8 * mib);
  EXPECT_EQ(bytes_of(p)[99], std::byte{0x5A});
  std::memset(p, 0x5A, 8 * mib);
  EXPECT_EQ(memory.try_expand(p, 8 * mib, 17 * mib), 0u);
  EXPECT_EQ(memory.try_expand(p, 8 * mib, 9 * mib, 17 * mib), 9 * mib);
  ASSERT_EQ(memory.shrink(p, 9 * mib, 8 * mib), 8 * mib);
  EXPECT_EQ(memory.try_expand(p, 8 * mib, ~std::size_t{0}), 0u);
  EXPECT_EQ(memory.allocate(1, 1), bytes_of(p) + 8 * mib);
}

TEST(reserved_resource, marks_and_rewind_go_back_in_place) {
  reserved_resource memory;
  (void)memory.allocate(100, 1);
  const auto mark = memory.mark();
  void* const first = memory.allocate(5 * mib, 1);
  memory.rewind(mark);
  EXPECT_EQ(memory.allocate(10, 1), first);
  EXPECT_GE(memory.stats().peak_bytes, 5 * mib);
}

TEST(reserved_resource, reset_and_release_leave_it_usable) {
  reserved_resource memory(reserved_options{.reserve_bytes = 64 * mib});
  for (int round = 0; round < 3; ++round) {
    auto* const p = bytes_of(memory.allocate(4 * mib, 1));
    std::memset(p, 0x5A, 4 * mib);
    memory.reset(mib);
    std::memset(memory.allocate(4 * mib, 1), 0xA5, 4 * mib);
    memory.release();
    EXPECT_EQ(memory.stats().reserved_bytes, 0u);
    EXPECT_EQ(memory.stats().chunks, 0u);
  }
}

TEST(reserved_resource, a_reservation_that_cannot_be_had_throws) {
  reserved_resource memory(reserved_options{.reserve_bytes = ~std::size_t{0} / 2});
  EXPECT_THROW((void)memory.allocate(1), std::bad_alloc);
  EXPECT_EQ(memory.try_allocate(1), nullptr);
  memory.release();
}

#if !defined(__SANITIZE_THREAD__) && !defined(MALLARD_ASAN)  // which need addresses without end

TEST(reserved_resource, reserves_less_where_addresses_are_limited) {
  mallard_test::expect_passed([] {
    mallard_test::allow_more_addresses(1900 * mib);
    reserved_resource memory;
    std::memset(memory.allocate(1), 1, 1);
    std::memset(memory.allocate(100 * mib), 1, 100 * mib);
    // There is something left for others.
    void* const p = std::malloc(200 * mib);
    mallard_test::require(p != nullptr, "nothing left");
    std::free(p);
    mallard_test::require(memory.try_allocate(4096 * mib) == nullptr, "beyond the limit");
    memory.release();
    std::memset(memory.allocate(1200 * mib), 1, 1);  // more than by halves
  });
}

#endif

}  // namespace
