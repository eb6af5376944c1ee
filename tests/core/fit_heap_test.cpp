#include "mallard/detail/core/fit_heap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <utility>
#include <vector>

#include "mallard/detail/core/annotate.hpp"
#include "support/live_blocks.hpp"
#include "support/seeds.hpp"

namespace {

using mallard::detail::fit_heap;

struct memory {
  explicit memory(std::size_t size) : bytes(size), p(::operator new(size, std::align_val_t{64})) {}
  memory(const memory&) = delete;
  memory& operator=(const memory&) = delete;
  ~memory() { ::operator delete(p, std::align_val_t{64}); }
  std::size_t bytes;
  void* p;
};

class fit_heap_test : public testing::Test {
 protected:
  fit_heap_test() { heap.add_segment(segment.p, segment.bytes); }
  // Marks of the sanitizer must not outlive the memory.
  ~fit_heap_test() override { mallard::detail::unpoison(segment.p, segment.bytes); }

  memory segment{1 << 20};
  fit_heap heap;
};

TEST_F(fit_heap_test, an_empty_heap_has_no_block) {
  fit_heap empty;
  EXPECT_EQ(empty.allocate(1, 16), nullptr);
  EXPECT_EQ(empty.allocate(0, 16), nullptr);
}

TEST_F(fit_heap_test, sizes_that_wrap_are_refused) {
  EXPECT_EQ(heap.allocate(~std::size_t{0}, 16), nullptr);
  EXPECT_EQ(heap.allocate(~std::size_t{0} - 16, 16), nullptr);
  EXPECT_EQ(heap.allocate(~std::size_t{0} / 2, 4096), nullptr);
  EXPECT_EQ(heap.allocate(1, std::size_t{1} << 62), nullptr);
}

TEST_F(fit_heap_test, all_of_a_segment_can_be_one_block_and_comes_back_whole) {
  const std::size_t most = segment.bytes - fit_heap::first_segment_overhead();
  for (int round = 0; round < 3; ++round) {
    void* const p = heap.allocate(most, 16);
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(heap.allocate(1, 16), nullptr);
    heap.deallocate(p);
  }
  EXPECT_EQ(heap.allocate(most + 16, 16), nullptr);
}

TEST_F(fit_heap_test, neighbours_are_joined_in_any_order) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::vector<void*> blocks;
    while (void* const p = heap.allocate(16 + random() % 5000, 16)) blocks.push_back(p);
    std::shuffle(blocks.begin(), blocks.end(), random);
    for (void* p : blocks) heap.deallocate(p);
    EXPECT_EQ(heap.in_use_bytes(), 0u);
    void* const p = heap.allocate(segment.bytes - fit_heap::first_segment_overhead(), 16);
    ASSERT_NE(p, nullptr);
    heap.deallocate(p);
  }
}

TEST_F(fit_heap_test, a_block_grows_into_the_free_one_behind_it) {
  void* const p = heap.allocate(100, 16);
  void* const q = heap.allocate(1000, 16);
  void* const r = heap.allocate(100, 16);
  EXPECT_EQ(heap.expand(p, 200, 200), 0u);
  heap.deallocate(q);
  EXPECT_EQ(heap.expand(p, 5000, 5000), 0u);
  const std::size_t half = heap.expand(p, 500, 500);
  EXPECT_GE(half, 500u);
  EXPECT_LT(half, 600u);
  EXPECT_GE(heap.expand(p, 1000, 5000), 1000u);
  EXPECT_GE(heap.expand(r, 50'000, 50'000), 50'000u);
  heap.deallocate(p);
  heap.deallocate(r);
  EXPECT_EQ(heap.in_use_bytes(), 0u);
}

TEST_F(fit_heap_test, a_block_grows_backward_by_whole_steps) {
  void* const before = heap.allocate(1000, 16);
  auto* const p = static_cast<std::byte*>(heap.allocate(96, 16));
  void* const behind = heap.allocate(96, 16);
  for (int i = 0; i < 96; ++i) p[i] = std::byte(i);
  EXPECT_EQ(heap.expand_backward(p, 200, 200, 48), nullptr);
  heap.deallocate(before);
  auto* const front = static_cast<std::byte*>(heap.expand_backward(p, 200, 200, 48));
  ASSERT_NE(front, nullptr);
  EXPECT_EQ((p - front) % 48, 0);
  EXPECT_GE(fit_heap::payload_bytes(front), 200u);
  for (int i = 0; i < 96; ++i) EXPECT_EQ(p[i], std::byte(i));
  EXPECT_EQ(heap.expand_backward(front, 100'000, 100'000, 48), nullptr);
  heap.deallocate(front);
  heap.deallocate(behind);
  EXPECT_EQ(heap.in_use_bytes(), 0u);
}

TEST_F(fit_heap_test, what_a_block_does_not_need_is_free_again) {
  void* const p = heap.allocate(100'000, 16);
  void* const q = heap.allocate(16, 16);
  EXPECT_LT(heap.shrink(p, 1000), 1100u);
  EXPECT_EQ(heap.shrink(p, 5000), heap.payload_bytes(p));
  void* const r = heap.allocate(90'000, 16);
  EXPECT_LT(r, q);
  for (void* one : {p, q, r}) heap.deallocate(one);
  EXPECT_EQ(heap.in_use_bytes(), 0u);
}

TEST(fit_heap, segments_without_blocks_can_be_taken_out) {
  memory first(1 << 16);
  memory second(1 << 16);
  fit_heap heap;
  heap.add_segment(first.p, first.bytes);
  heap.add_segment(second.p, second.bytes);
  void* const p = heap.allocate(50'000, 16);
  void* const q = heap.allocate(50'000, 16);
  EXPECT_EQ(heap.remove_segment(second.p, second.bytes), 0u);
  heap.deallocate(p);
  heap.deallocate(q);
  EXPECT_EQ(heap.remove_segment(first.p, first.bytes), 0u) << "it holds the bins";
  EXPECT_NE(heap.remove_segment(second.p, second.bytes), 0u);
  EXPECT_EQ(heap.segment_bytes(), first.bytes);
  EXPECT_NE(heap.allocate(40'000, 16), nullptr);
  EXPECT_EQ(heap.allocate(40'000, 16), nullptr);
  mallard::detail::unpoison(first.p, first.bytes);
}

TEST(fit_heap, segments_that_adjoin_are_one) {
  memory all(1 << 16);
  auto* const middle = static_cast<std::byte*>(all.p) + all.bytes / 2;
  fit_heap heap;
  heap.add_segment(all.p, all.bytes / 2);
  EXPECT_EQ(heap.allocate(40'000, 16), nullptr);
  heap.extend_segment(middle, all.bytes / 2, false);
  EXPECT_EQ(heap.segment_bytes(), all.bytes);
  EXPECT_NE(heap.allocate(40'000, 16), nullptr);
  mallard::detail::unpoison(all.p, all.bytes);
}

// The memory is cut into segments and joined again, as a large space does with its own.
TEST(fit_heap, parts_that_are_taken_out_and_put_back_are_nobodys_meanwhile) {
  constexpr std::size_t part = 1 << 12;
  for (const std::uint64_t seed : mallard_test::test_seeds(12)) {
    SCOPED_TRACE(mallard_test::reproduce_with(seed));
    std::mt19937_64 random(seed);
    memory all(1 << 18);
    auto* const begin = static_cast<std::byte*>(all.p);
    fit_heap heap;
    heap.add_segment(begin, all.bytes);
    const std::size_t whole = heap.segment_bytes();
    mallard_test::live_blocks live;
    // Begins where a segment ends, and is as long as to the next one.
    std::vector<std::pair<std::byte*, std::size_t>> gone;
    for (int step = 0; step < 20'000; ++step) {
      const auto what = random() % 8;
      if (what < 4 || live.empty()) {
        const std::size_t bytes = random() % 3000;
        if (void* const p = heap.allocate(bytes, 16)) live.add(p, heap.payload_bytes(p), 16);
      } else if (what < 7) {
        heap.deallocate(live.remove(random() % live.size()).data);
      } else if (auto* const b = heap.find_free(3 * part)) {
        auto* const from = b->as_bytes() + part;
        auto* const rest = b->following()->as_bytes() - part;
        heap.take_out(b, from, reinterpret_cast<mallard::detail::fit_block*>(rest));
        std::fill(from, rest, std::byte{0x5a});
        gone.emplace_back(from, static_cast<std::size_t>(rest - from));
      } else if (!gone.empty()) {
        const auto [from, bytes] = gone.back();
        gone.pop_back();
        for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(from[i], std::byte{0x5a});
        heap.extend_segment(from, bytes, false);
      }
      if (step % 1000 == 0) live.verify();
    }
    std::size_t outside = 0;
    for (const auto& [from, bytes] : gone) outside += bytes;
    EXPECT_EQ(heap.segment_bytes() + outside, whole);
    while (!live.empty()) heap.deallocate(live.remove(live.size() - 1).data);
    EXPECT_EQ(heap.in_use_bytes(), 0u);
    mallard::detail::unpoison(all.p, all.bytes);
  }
}

TEST(fit_heap, random_programs_agree_with_the_model) {
  for (const std::uint64_t seed : mallard_test::test_seeds(12)) {
    SCOPED_TRACE(mallard_test::reproduce_with(seed));
    std::mt19937_64 random(seed);
    std::vector<std::unique_ptr<memory>> segments;
    fit_heap heap;
    mallard_test::live_blocks live;
    const auto grow = [&] {
      segments.push_back(std::make_unique<memory>((1 + random() % 8) << 14));
      heap.add_segment(segments.back()->p, segments.back()->bytes);
    };
    grow();
    const auto some_size = [&] { return random() % 4 == 0 ? random() % 20'000 : random() % 300; };
    for (int step = 0; step < 20'000; ++step) {
      const auto what = random() % 16;
      if (what < 6 || live.empty()) {
        const std::size_t bytes = some_size();
        const std::size_t alignment = std::size_t{1} << random() % 9;
        void* const p = heap.allocate(bytes, alignment);
        if (p == nullptr) {
          if (segments.size() < 12) grow();
          continue;
        }
        ASSERT_GE(heap.payload_bytes(p), bytes);
        live.add(p, heap.payload_bytes(p), alignment);
      } else if (what < 11) {
        heap.deallocate(live.remove(random() % live.size()).data);
      } else if (what < 14) {
        const std::size_t index = random() % live.size();
        const std::size_t old = live[index].bytes;
        const std::size_t least = old + random() % 500;
        const std::size_t now = heap.expand(live[index].data, least, least + random() % 4000);
        if (now != 0) {
          ASSERT_GE(now, least);
          ASSERT_EQ(now, heap.payload_bytes(live[index].data));
          live.resize(index, now);
        }
      } else if (what < 15) {
        const std::size_t index = random() % live.size();
        const std::size_t wanted = random() % (live[index].bytes + 1);
        const std::size_t now = heap.shrink(live[index].data, wanted);
        ASSERT_GE(now, wanted);
        live.resize(index, now);
      } else {
        const std::size_t index = random() % live.size();
        const auto old = live.remove(index);
        const std::size_t step_bytes = 16 * (1 + random() % 5);
        const std::size_t least = old.bytes + random() % 2000;
        auto* const front =
            static_cast<std::byte*>(heap.expand_backward(old.data, least, least, step_bytes));
        if (front == nullptr) {
          live.add(old.data, old.bytes, 1);
          continue;
        }
        ASSERT_EQ(static_cast<std::size_t>(old.data - front) % step_bytes, 0u);
        ASSERT_GE(heap.payload_bytes(front), least);
        live.add(front, heap.payload_bytes(front), 16);
      }
      if (step % 1000 == 0) live.verify();
    }
    while (!live.empty()) heap.deallocate(live.remove(live.size() - 1).data);
    EXPECT_EQ(heap.in_use_bytes(), 0u);
    EXPECT_EQ(heap.in_use_blocks(), 0u);
    for (const auto& segment : segments) mallard::detail::unpoison(segment->p, segment->bytes);
  }
}

}  // namespace
