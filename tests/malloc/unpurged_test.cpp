// How much of a space's free memory is still backed by the system's, as the malloc's heaps of large
// blocks count it: held against what is really in the memory.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "mallard/detail/core/fit_heap.hpp"
#include "support/seeds.hpp"
#include "support/units.hpp"

namespace {

namespace detail = mallard::detail;
using mallard_test::mib;

bool is_zero(const std::byte* begin, std::size_t bytes) {
  return std::all_of(begin, begin + bytes, [](std::byte b) { return b == std::byte{}; });
}

// Does what the system would.
void purge(detail::fit_block* b, std::size_t from, std::size_t to) {
  from = std::max(from, sizeof *b);
  std::memset(b->as_bytes() + from, 0, to - from);
}

class unpurged : public testing::Test {
 protected:
  unpurged()
      : memory_(static_cast<std::byte*>(
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~unpurged() override { munmap(memory_, bytes); }

  void* allocate(std::size_t size, std::size_t alignment = 16) {
    bool zero = false;
    auto* const p = static_cast<std::byte*>(heap.allocate(size, alignment, &zero));
    if (p == nullptr) return nullptr;
    const std::size_t payload = heap.payload_bytes(p);
    // The block's first two words were the header of a free one, its last the next one's.
    EXPECT_TRUE(!zero || is_zero(p + 16, payload - 24));
    return std::memset(p, 0x5a, payload);
  }

  static constexpr std::size_t bytes = 8 * mib;
  std::byte* const memory_;
  detail::fit_heap heap;
};

TEST_F(unpurged, bytes_are_those_that_were_used) {
  heap.add_segment(memory_, bytes, true);
  EXPECT_EQ(heap.unpurged_bytes(), 0u);
  void* const p = allocate(2 * mib);
  EXPECT_EQ(heap.unpurged_bytes(), 0u);
  heap.deallocate(p);
  EXPECT_NEAR(static_cast<double>(heap.unpurged_bytes()), 2.0 * mib, 200);
  void* const q = allocate(mib);
  EXPECT_NEAR(static_cast<double>(heap.unpurged_bytes()), 1.0 * mib, 200);
  std::size_t left = 0;
  detail::fit_block* const b = heap.take_unpurged(detail::fit_heap::least_counted, left);
  ASSERT_NE(b, nullptr);
  EXPECT_NEAR(static_cast<double>(left), 1.0 * mib, 200);
  EXPECT_EQ(heap.unpurged_bytes(), 0u);
  purge(b, 0, left);
  heap.put_back(b, 0);
  heap.deallocate(q);
  EXPECT_NEAR(static_cast<double>(heap.unpurged_bytes()), 1.0 * mib, 200);
}

TEST_F(unpurged, blocks_are_used_before_purged_ones) {
  constexpr std::size_t size = 70'000;
  heap.add_segment(memory_, mib);
  std::size_t left = 0;
  std::vector<void*> blocks;
  for (int i = 0; i < 8; ++i) {
    blocks.push_back(heap.allocate(size, 16));
    heap.allocate(100, 16);
  }
  void* const fresh = blocks[3];
  for (void* p : blocks) {
    if (p != fresh) heap.deallocate(p);
  }
  std::vector<detail::fit_block*> purged;
  while (auto* const b = heap.take_unpurged(detail::fit_heap::least_counted, left)) {
    purged.push_back(b);
  }
  EXPECT_EQ(purged.size(), blocks.size());  // with the end of the segment
  heap.deallocate(fresh);
  for (auto* const b : purged) heap.put_back(b, 0);
  // For less, any block of the bin may be it.
  EXPECT_EQ(heap.allocate(size - 4'000, 16), fresh);
  heap.deallocate(fresh);
  auto* const last = heap.take_unpurged(detail::fit_heap::least_counted, left);
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(last->payload(), fresh);
  EXPECT_EQ(heap.take_unpurged(detail::fit_heap::least_counted, left), nullptr);
}

TEST_F(unpurged, bytes_that_join_what_is_zero_are_not_taken_for_zero) {
  heap.add_segment(memory_, mib, true);
  heap.deallocate(allocate(10'000));
  heap.extend_segment(memory_ + mib, mib, true);
  bool zero = true;
  ASSERT_NE(heap.allocate(mib + 1, 16, &zero), nullptr);
  EXPECT_FALSE(zero);
}

TEST_F(unpurged, bytes_are_none_of_fresh_memory_behind_what_is_used) {
  heap.add_segment(memory_, mib, true);
  ASSERT_NE(allocate(10'000), nullptr);
  bool zero = false;
  ASSERT_NE(heap.allocate(20'000, 16, &zero), nullptr);
  EXPECT_TRUE(zero);
}

TEST_F(unpurged, bytes_are_never_fewer_than_are_there) {
  for (const std::uint64_t seed : mallard_test::test_seeds(4)) {
    SCOPED_TRACE(mallard_test::reproduce_with(seed));
    heap.reset();
    std::memset(memory_, 0, bytes);
    heap.add_segment(memory_, bytes / 2, true);
    bool has_all = false;
    std::mt19937_64 random(seed);
    const auto any_of = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    std::vector<void*> blocks;
    std::vector<std::pair<detail::fit_block*, std::size_t>> under_way;
    for (int step = 0; step < 6'000; ++step) {
      const std::size_t what = any_of(8);
      if (what < 3) {
        const std::size_t size = any_of(4) == 0 ? any_of(mib) : 60'000 + any_of(8) * 4'000;
        if (void* const p = allocate(size, std::size_t{16} << any_of(9))) blocks.push_back(p);
      } else if (what < 5 && !blocks.empty()) {
        std::swap(blocks[any_of(blocks.size())], blocks.back());
        heap.deallocate(blocks.back());
        blocks.pop_back();
      } else if (what == 5 && !blocks.empty()) {
        void*& p = blocks[any_of(blocks.size())];
        const std::size_t size = heap.payload_bytes(p);
        if (any_of(2) == 0) {
          heap.shrink(p, any_of(size));
        } else {
          heap.expand(p, size, 2 * size);
        }
        std::memset(p, 0x5a, heap.payload_bytes(p));
      } else if (what == 6 && !has_all && any_of(50) == 0) {
        heap.extend_segment(memory_ + bytes / 2, bytes / 2, true);
        has_all = true;
      } else if (what == 6) {
        std::size_t left = 0;
        detail::fit_block* const b = heap.take_unpurged(detail::fit_heap::least_counted, left);
        if (b == nullptr) continue;
        ASSERT_LE(left, b->bytes());
        EXPECT_TRUE(is_zero(b->as_bytes() + left, b->bytes() - left)) << "in step " << step;
        under_way.emplace_back(b, left);
      } else if (!under_way.empty()) {
        const auto [b, left] = under_way.back();
        under_way.pop_back();
        // All of it, or the end.
        const std::size_t kept = any_of(2) == 0 ? 0 : left / 2;
        purge(b, kept, left);
        heap.put_back(b, kept);
      }
    }
    for (const auto& [b, left] : under_way) {
      purge(b, 0, left);
      heap.put_back(b, 0);
    }
    for (void* const p : blocks) heap.deallocate(p);
    std::size_t left = 0;
    while (detail::fit_block* const b = heap.take_unpurged(detail::fit_heap::least_counted, left)) {
      EXPECT_TRUE(is_zero(b->as_bytes() + left, b->bytes() - left));
      purge(b, 0, left);
      heap.put_back(b, 0);
    }
    EXPECT_EQ(heap.unpurged_bytes(), 0u);
    EXPECT_EQ(heap.in_use_blocks(), 0u);
    const std::size_t whole = has_all ? bytes : bytes / 2;
    EXPECT_NE(heap.allocate(whole - detail::fit_heap::first_segment_overhead(), 16), nullptr);
  }
}

}  // namespace
