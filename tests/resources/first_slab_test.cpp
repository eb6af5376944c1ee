// The small slab that a pool of a multipool begins with.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "mallard/checks/test_resource.hpp"
#include "mallard/heap.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "support/hooked_upstream.hpp"
#include "support/seeds.hpp"

namespace {

using mallard::multipool_options;
using mallard::multipool_resource;
using mallard::test_resource;

constexpr std::size_t whole_bytes = 16384;

// Slabs as close to each other as their alignment allows, the first right before the second.
class adjacent_slabs final : public std::pmr::memory_resource {
 public:
  std::byte* first() const { return memory_.get() + whole_bytes - 1024; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t) override {
    used_ = (used_ + bytes - 1) / bytes * bytes + bytes;
    EXPECT_LE(used_, 8 * whole_bytes);
    return memory_.get() + used_ - bytes;
  }
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  struct aligned_delete {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{whole_bytes}); }
  };
  std::unique_ptr<std::byte, aligned_delete> memory_{
      static_cast<std::byte*>(::operator new(8 * whole_bytes, std::align_val_t{whole_bytes}))};
  std::size_t used_ = whole_bytes - 1024;
};

TEST(first_slab, of_a_pool_of_few_blocks_is_smaller_than_a_page) {
  test_resource upstream;
  multipool_resource pool(&upstream);
  std::vector<void*> blocks;
  for (int i = 0; i < 16; ++i) blocks.push_back(pool.allocate(24, 8));
  EXPECT_EQ(upstream.counts().in_use_bytes, 1024u);
  for (void* p : blocks) pool.deallocate(p, 24, 8);
  EXPECT_EQ(upstream.counts().allocations, 1u);
}

TEST(first_slab, of_each_class_together_is_less_than_one_slab_of_each) {
  test_resource upstream;
  mallard::heap_resource heap(&upstream);
  for (std::size_t bytes = 16; bytes <= 1000; bytes += 8) {
    heap.deallocate(heap.allocate(bytes, 8), bytes, 8);
  }
  EXPECT_LE(upstream.counts().in_use_bytes, 48u * 1024);
}

TEST(first_slab, is_one_for_each_pool_until_all_is_released) {
  test_resource upstream;
  multipool_resource pool(&upstream);
  const auto fill = [&] {
    std::vector<void*> blocks(5000);
    for (void*& p : blocks) p = pool.allocate(24, 8);
    return blocks;
  };
  for (int round = 0; round < 3; ++round) {
    for (void* p : fill()) pool.deallocate(p, 24, 8);
  }
  pool.trim();
  EXPECT_EQ(upstream.counts().in_use_bytes, 0u);
  fill();
  EXPECT_EQ(upstream.counts().in_use_bytes % whole_bytes, 0u);
  pool.release();
  static_cast<void>(pool.allocate(24, 8));
  EXPECT_EQ(upstream.counts().in_use_bytes, 1024u);
}

TEST(first_slab, that_is_empty_and_kept_goes_when_the_pool_is_trimmed) {
  test_resource upstream;
  multipool_resource pool(multipool_options{.empty_slabs_kept = ~std::size_t{0}}, &upstream);
  std::vector<void*> blocks(5000);
  for (void*& p : blocks) p = pool.allocate(24, 8);
  const std::size_t slabs = pool.stats().slabs;
  for (void* p : blocks) pool.deallocate(p, 24, 8);
  EXPECT_EQ(pool.stats().slabs, slabs);
  EXPECT_EQ(pool.trim(), upstream.counts().peak_bytes);
  EXPECT_EQ(upstream.counts().in_use_bytes, 0u);
}

// A bitmap word may cover more in a larger slab than the first slab has: blocks of the
// slab behind it are not near.
TEST(first_slab, does_not_take_in_blocks_of_a_larger_slab_right_behind_it) {
  for (const std::size_t bytes : {24u, 40u, 64u, 100u, 120u}) {
    adjacent_slabs upstream;
    multipool_resource pool(&upstream);
    std::vector<void*> small;
    void* p = pool.allocate(bytes, 8);
    for (; p < upstream.first() + 1024; p = pool.allocate(bytes, 8)) small.push_back(p);
    std::vector<void*> larger{p};
    for (int i = 0; i < 10; ++i) larger.push_back(pool.allocate(bytes, 8));
    // The first slab becomes the current one when the larger one is full.
    std::vector<void*> rest;
    for (void* q : small) pool.deallocate(q, bytes, 8);
    while (pool.stats().slabs == 2) rest.push_back(pool.allocate(bytes, 8));
    for (void* q : larger) pool.deallocate(q, bytes, 8);
    std::set<void*> all(rest.begin(), rest.end());
    for (std::size_t i = 0; i < larger.size() + 50; ++i) {
      EXPECT_TRUE(all.insert(pool.allocate(bytes, 8)).second);
    }
  }
}

TEST(first_slab, and_whole_ones_take_blocks_of_every_class_back_in_any_order) {
  for (const std::uint64_t seed : mallard_test::test_seeds(3)) {
    std::mt19937_64 random(seed);
    test_resource upstream;
    multipool_resource pool(&upstream);
    struct block {
      unsigned char* p;
      std::size_t bytes;
      unsigned char value;
    };
    std::vector<block> live;
    const auto give = [&](std::size_t i) {
      const block b = live[i];
      for (std::size_t at = 0; at < b.bytes; ++at) ASSERT_EQ(b.p[at], b.value);
      pool.deallocate(b.p, b.bytes, 8);
      live[i] = live.back();
      live.pop_back();
    };
    for (int step = 0; step < 30'000; ++step) {
      const std::size_t aim = step % 10'000 < 5000 ? 3000 : 30;
      if (live.size() < aim && random() % 4 != 0) {
        const std::size_t bytes = 1 + random() % (random() % 2 == 0 ? 64 : 1024);
        auto* const p = static_cast<unsigned char*>(pool.allocate(bytes, 8));
        const auto value = static_cast<unsigned char>(random());
        std::memset(p, value, bytes);
        live.push_back({p, bytes, value});
      } else if (!live.empty()) {
        give(random() % live.size());
      }
    }
    while (!live.empty()) give(live.size() - 1);
    EXPECT_EQ(pool.stats().in_use_bytes, 0u) << mallard_test::reproduce_with(seed);
    pool.trim();
    EXPECT_EQ(upstream.counts().in_use_bytes, 0u) << mallard_test::reproduce_with(seed);
  }
}

TEST(first_slab, gives_and_takes_bursts) {
  test_resource upstream;
  mallard::heap_resource heap(&upstream);
  for (int round = 0; round < 10; ++round) {
    mallard::block_chain some = heap.allocate_many(30, 24, 8);
    mallard::block_chain more = heap.allocate_many(3000, 24, 8);
    heap.deallocate_many(some, 24, 8);
    heap.deallocate_many(more, 24, 8);
  }
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

// The first request comes while the pool asks for its first slab.
TEST(first_slab, is_one_also_when_upstream_uses_the_pool) {
  test_resource memory;
  mallard_test::hooked_upstream upstream(&memory);
  multipool_resource pool(&upstream);
  upstream.before_allocate =
      mallard_test::once([&] { pool.deallocate(pool.allocate(24, 8), 24, 8); });
  void* const p = pool.allocate(24, 8);
  EXPECT_EQ(pool.stats().slabs, 1u);
  pool.deallocate(p, 24, 8);
  pool.trim();
  EXPECT_EQ(memory.counts().in_use_bytes, 0u);
}

}  // namespace
