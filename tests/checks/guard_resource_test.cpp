#include "mallard/checks/guard_resource.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "mallard/detail/os/mapping.hpp"
#include "mallard/detail/os/pages.hpp"
#include "support/addresses.hpp"

namespace {

using mallard::guard_resource;
using mallard::guarded_side;

namespace os = mallard::detail::os;

using mallard_test::is_aligned;

TEST(guard_resource, a_large_alignment_takes_addresses_and_no_memory) {
  guard_resource pages;
  const std::size_t page = os::page_size();
  for (const std::size_t alignment : {2 * page, std::size_t{1} << 21, std::size_t{1} << 28}) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, page, page + 1}) {
      auto* const p = static_cast<std::byte*>(pages.allocate(bytes, alignment));
      EXPECT_TRUE(is_aligned(p, alignment));
      if (bytes != 0) p[bytes - 1] = std::byte{1};
      const std::size_t whole = (bytes + page - 1) / page * page;
      EXPECT_LE(os::resident_bytes(p, whole), whole);
      // Behind its last page nothing can be touched, nor is.
      EXPECT_EQ(os::resident_bytes(p + whole, page), 0u) << bytes << " of " << alignment;
      pages.deallocate(p, bytes, alignment);
    }
  }
}

TEST(guard_resource, blocks_of_every_alignment_are_aligned_on_both_sides) {
  for (const guarded_side side : {guarded_side::end, guarded_side::begin}) {
    guard_resource pages({.side = side});
    for (std::size_t alignment = 1; alignment <= (std::size_t{1} << 24); alignment *= 2) {
      for (const std::size_t bytes : {std::size_t{1}, std::size_t{100}, std::size_t{5000}}) {
        auto* const p = static_cast<unsigned char*>(pages.allocate(bytes, alignment));
        EXPECT_TRUE(is_aligned(p, alignment));
        p[0] = p[bytes - 1] = 1;
        pages.deallocate(p, bytes, alignment);
      }
    }
    EXPECT_EQ(pages.in_use_blocks(), 0u);
  }
}

}  // namespace
