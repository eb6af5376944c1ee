// One shared_resource, and several of the same memory, used by many threads at once.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <random>
#include <vector>

#include "mallard/memory/shared.hpp"
#include "support/instrumented.hpp"
#include "support/marked_block.hpp"
#include "support/threads.hpp"

namespace {

using mallard::shared_resource;
using mallard_test::marked_block;

// Blocks that any thread may give back.
struct market {
  std::mutex lock;
  std::vector<marked_block> blocks;
};

void trade(shared_resource& shared, const shared_resource& as_seen_by, market& all, unsigned seed) {
  std::mt19937 random(seed);
  const std::ptrdiff_t shift =
      static_cast<std::byte*>(shared.base()) - static_cast<std::byte*>(as_seen_by.base());
  const int steps = mallard_test::instrumented ? 3000 : 30'000;
  for (int i = 0; i < steps; ++i) {
    if (random() % 2 == 0) {
      const std::size_t bytes = 1 + random() % (random() % 64 == 0 ? 10'000 : 300);
      const auto mark = static_cast<unsigned char>(random());
      auto* const p = static_cast<unsigned char*>(shared.allocate(bytes));
      std::memset(p, mark, bytes);
      const std::lock_guard held(all.lock);
      all.blocks.push_back({p - shift, bytes, mark});
    } else {
      marked_block b{};
      {
        const std::lock_guard held(all.lock);
        if (all.blocks.empty()) continue;
        std::swap(all.blocks[random() % all.blocks.size()], all.blocks.back());
        b = all.blocks.back();
        all.blocks.pop_back();
      }
      b.p = static_cast<unsigned char*>(b.p) + shift;
      mallard_test::expect_unchanged(b);
      shared.deallocate(b.p, b.bytes);
    }
  }
}

void expect_all_goes_back(shared_resource& shared, const market& all) {
  shared.verify();
  for (const marked_block& b : all.blocks) shared.deallocate(b.p, b.bytes);
  shared.trim();
  EXPECT_EQ(shared.stats().slabs, 0u);
}

TEST(shared_threads, of_one_resource) {
  shared_resource shared;
  market all;
  mallard_test::in_threads(4u, [&](unsigned i) { trade(shared, shared, all, i); });
  expect_all_goes_back(shared, all);
}

TEST(shared_threads, of_several_that_destroy_an_object_one_does) {
  shared_resource shared;
  for (int round = 0; round < 300; ++round) {
    shared.make<long>("x", round);
    std::atomic<int> destroyed{0};
    mallard_test::in_threads(2u, [&](unsigned) { destroyed += shared.destroy<long>("x") ? 1 : 0; });
    ASSERT_EQ(destroyed, 1) << round;
  }
  shared.trim();
  EXPECT_EQ(shared.stats().slabs, 0u);
}

TEST(shared_threads, each_with_a_resource_of_its_own) {
  shared_resource shared;
  market all;
  mallard_test::in_threads(4u, [&](unsigned i) {
    shared_resource own = shared_resource::attach(shared.descriptor());
    trade(own, shared, all, i);
    own.verify();
  });
  expect_all_goes_back(shared, all);
}

}  // namespace
