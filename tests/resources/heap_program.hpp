// Random programs that use every verb of a heap and hold it against the model.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "mallard/blocks.hpp"
#include "support/live_blocks.hpp"

namespace mallard_test {

// Every step is run by `run(step)`, here or in some thread, before it returns. At the end nothing
// is in use and, as far as the last thread's memory goes, nothing is reserved.
template <class Heap, class Run>
void run_heap_program(Heap& heap, std::uint64_t seed, Run&& run) {
  std::mt19937_64 random(seed);
  live_blocks arrays;
  live_blocks nodes;
  const auto some_size = [&]() -> std::size_t {
    return random() % 8 == 0 ? random() % 200'000 : random() % 2000;
  };
  const auto one_step = [&] {
    switch (random() % 14) {
      case 0:
      case 1: {
        const std::size_t bytes = some_size();
        nodes.add(heap.allocate(bytes), bytes, 16);
        break;
      }
      case 2:
      case 3:
        if (!nodes.empty()) {
          const auto block = nodes.remove(random() % nodes.size());
          heap.deallocate(block.data, block.bytes);
        }
        break;
      case 4: {
        const std::size_t bytes = 1 + random() % 300;
        mallard::block_chain chain = heap.allocate_many(random() % 50, bytes);
        while (!chain.empty()) nodes.add(chain.pop_front(), bytes, 1);
        break;
      }
      case 5: {
        const std::size_t least = some_size();
        const mallard::sized_block block = heap.allocate_expandable(least, least + random() % 1000);
        ASSERT_GE(block.bytes, least);
        arrays.add(block.p, block.bytes, 16);
        break;
      }
      case 6:
        if (!arrays.empty()) {
          heap.deallocate_expandable(arrays.remove(random() % arrays.size()).data);
        }
        break;
      case 7:
      case 8:
        if (!arrays.empty()) {
          const std::size_t index = random() % arrays.size();
          const auto& a = arrays[index];
          const std::size_t least = a.bytes + random() % 1000;
          if (const std::size_t now = heap.try_expand(a.data, a.bytes, least, least * 2)) {
            ASSERT_GE(now, least);
            arrays.resize(index, now);
          }
        }
        break;
      case 9:
        if (!arrays.empty()) {
          const std::size_t index = random() % arrays.size();
          const auto& a = arrays[index];
          const std::size_t wanted = random() % (a.bytes + 1);
          const std::size_t foretold = heap.shrinkable_to(a.data, a.bytes, a.bytes, wanted);
          const std::size_t now = heap.shrink(a.data, a.bytes, a.bytes, wanted);
          ASSERT_EQ(now, foretold);
          ASSERT_GE(now, wanted);
          arrays.resize(index, now);
        }
        break;
      case 10:
        if (!arrays.empty()) {
          const auto old = arrays.remove(random() % arrays.size());
          const std::size_t least = old.bytes + random() % 3000;
          const mallard::sized_block front =
              heap.try_expand_backward(old.data, old.bytes, least, least, 24);
          if (front.p == nullptr) {
            arrays.add(old.data, old.bytes, 1);
          } else {
            ASSERT_EQ((old.data - static_cast<std::byte*>(front.p)) % 48, 0);
            arrays.add(front.p, front.bytes, 16);
          }
        }
        break;
      case 11:
        if (!arrays.empty()) {
          const auto old = arrays.remove(random() % arrays.size());
          const std::vector<std::byte> bytes(old.data, old.data + old.bytes);
          const std::size_t wanted = random() % (old.bytes * 2 + 1000);
          const mallard::sized_block moved = heap.remap(old.data, old.bytes, wanted);
          ASSERT_NE(moved.p, nullptr);
          ASSERT_GE(moved.bytes, wanted);
          ASSERT_EQ(std::memcmp(moved.p, bytes.data(), std::min(wanted, old.bytes)), 0);
          arrays.add(moved.p, moved.bytes, 16);
        }
        break;
      case 12: {
        const std::size_t bytes = 8 + random() % 3000;
        mallard::block_chain chain = heap.allocate_many(random() % 100, bytes);
        for (std::size_t kept = random() % 10; kept != 0 && !chain.empty(); --kept) {
          nodes.add(chain.pop_front(), bytes, 1);
        }
        heap.deallocate_many(chain, bytes);
        break;
      }
      default:
        if (random() % 20 == 0) heap.trim();
        if (random() % 100 == 0) {
          arrays.clear();  // and checks them
          nodes.clear();
          heap.release();
          ASSERT_EQ(heap.stats().in_use_bytes, 0u);
          ASSERT_EQ(heap.stats().reserved_bytes, 0u);
        }
    }
  };
  for (int step = 0; step < 5000; ++step) {
    run(one_step);
    if (testing::Test::HasFatalFailure()) return;
  }
  while (!arrays.empty()) heap.deallocate_expandable(arrays.remove(0).data);
  while (!nodes.empty()) {
    const auto block = nodes.remove(0);
    heap.deallocate(block.data, block.bytes);
  }
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

}  // namespace mallard_test
