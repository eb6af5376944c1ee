#include "mallard/memory/static.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <list>
#include <memory_resource>
#include <random>
#include <utility>
#include <vector>

#include "mallard/allocator.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/memory/extent_tree.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "memory/expect_memory_error.hpp"

// Symbols of the linker: between them lies what takes no room in the program's file.
extern "C" {
extern char __bss_start;
extern char _end;
}

namespace {

using mallard::memory_fault;
using mallard::static_resource;
using mallard_test::expect_memory_error;

constinit mallard::static_storage<64 * 1024> storage;
constinit mallard::static_storage<std::size_t{16} << 20> large_storage;

TEST(static_resource, all_of_its_storage_is_for_blocks) {
  alignas(16) std::byte bytes[1024];
  static_resource resource(bytes, sizeof bytes);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(resource.allocate(16), bytes + 16 * i);
  EXPECT_EQ(resource.free_bytes(), 0u);
  const std::string text = expect_memory_error(memory_fault::full, std::errc::not_enough_memory,
                                               [&] { (void)resource.allocate(1); });
  EXPECT_EQ(text, "static_resource: 1 bytes at 16; 0 of 1024 are free: Cannot allocate memory");
  resource.deallocate(bytes + 32, 16);
  EXPECT_EQ(resource.allocate(16), bytes + 32);
}

TEST(static_resource, storage_is_not_touched_before_the_first_request) {
  std::byte bytes[64] = {};
  static_resource resource(bytes, sizeof bytes);
  for (const std::byte b : bytes) EXPECT_EQ(b, std::byte{});
  EXPECT_FALSE(resource.owns(reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(bytes) - 1)));
  EXPECT_TRUE(resource.owns(bytes));
  EXPECT_FALSE(resource.owns(bytes + 64));
}

TEST(static_storage, is_not_in_the_program_file) {
  const auto at = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  EXPECT_GE(at(&large_storage), at(&__bss_start));
  EXPECT_LE(at(&large_storage + 1), at(&_end));
}

TEST(static_storage, is_zero_bytes_until_its_resource_is_asked_for) {
  auto* const bytes = reinterpret_cast<const std::byte*>(&large_storage);
  for (std::size_t i = 0; i < sizeof large_storage; ++i) ASSERT_EQ(bytes[i], std::byte{});
  mallard::static_resource& resource = large_storage.resource();
  EXPECT_EQ(resource.free_bytes(), std::size_t{16} << 20);
  EXPECT_EQ(&large_storage.resource(), &resource);
}

TEST(static_resource, unaligned_and_tiny_storage_is_used_as_far_as_it_goes) {
  alignas(16) std::byte bytes[64];
  for (std::size_t skipped = 0; skipped < 16; ++skipped) {
    for (std::size_t size = 1; size <= 40; ++size) {
      static_resource resource(bytes + skipped, size);
      const std::size_t first = skipped == 0 ? 0 : 16 - skipped;
      const std::size_t fit = size < first ? 0 : (size - first) / 16;
      EXPECT_EQ(resource.free_bytes(), fit * 16);
      for (std::size_t i = 0; i < fit; ++i) EXPECT_NE(resource.try_allocate(16), nullptr);
      EXPECT_EQ(resource.try_allocate(1, 1), nullptr);
    }
  }
}

TEST(static_resource, storage_of_no_bytes_is_refused) {
  std::byte one;
  const auto expect = [](std::byte* p, std::size_t bytes) {
    expect_memory_error(memory_fault::bad_limit, std::errc::invalid_argument,
                        [&] { static_resource resource(p, bytes); });
  };
  expect(&one, 0);
  expect(nullptr, 10);
}

TEST(static_resource, bad_requests_throw) {
  mallard_test::expect_bad_requests_to_throw(storage.resource());
}

TEST(static_resource, resources_live_in_it_and_give_all_of_it_back) {
  {
    mallard::monotonic_resource arena(&storage.resource());
    mallard::multipool_resource pool(&storage.resource());
    std::pmr::vector<int> a(1000, 1, &arena);
    std::list<int, mallard::allocator<int, mallard::multipool_resource>> b(100, 2, &pool);
    EXPECT_TRUE(storage.resource().owns(a.data()));
    EXPECT_TRUE(storage.resource().owns(&b.front()));
  }
  EXPECT_EQ(storage.resource().in_use_bytes(), 0u);
}

TEST(static_resource, a_pool_that_meets_its_end_throws_and_goes_on) {
  alignas(64) static std::byte bytes[40 * 1024];
  static_resource resource(bytes, sizeof bytes);
  mallard::multipool_resource pool(&resource);
  std::vector<void*> blocks;
  try {
    for (;;) blocks.push_back(pool.allocate(100, 4));
  } catch (const mallard::memory_error& e) {
    EXPECT_EQ(e.fault(), memory_fault::full);
  }
  EXPECT_GT(blocks.size(), 100u);
  for (void* const p : blocks) EXPECT_TRUE(resource.owns(p));
  pool.deallocate(blocks.back(), 100, 4);
  EXPECT_EQ(pool.allocate(100, 4), blocks.back());
}

TEST(static_resource, release_ends_all_blocks) {
  alignas(16) std::byte bytes[256];
  static_resource resource(bytes, sizeof bytes);
  (void)resource.allocate(256);
  resource.release();
  EXPECT_EQ(resource.free_bytes(), 256u);
  EXPECT_EQ(resource.allocate(256), bytes);
}

// Memory that small blocks of one size leave behind is there for all other sizes.
TEST(static_resource, freed_small_blocks_are_joined_for_larger_ones) {
  alignas(64) static std::byte bytes[64 * 1024];
  static_resource resource(bytes, sizeof bytes);
  for (const std::size_t size : {16u, 48u, 1024u, 1040u}) {
    std::vector<void*> blocks;
    while (void* const p = resource.try_allocate(size)) blocks.push_back(p);
    EXPECT_EQ(blocks.size(), sizeof bytes / size);
    for (void* const p : blocks) resource.deallocate(p, size);
    EXPECT_EQ(resource.free_bytes(), sizeof bytes);
    void* const all = resource.allocate(sizeof bytes);
    EXPECT_EQ(all, bytes);
    resource.deallocate(all, sizeof bytes);
  }
}

TEST(static_resource, a_freed_small_block_serves_only_alignments_that_it_has) {
  alignas(64) static std::byte bytes[1024];
  static_resource resource(bytes, sizeof bytes);
  void* const first = resource.allocate(16);
  void* const second = resource.allocate(16);
  resource.deallocate(second, 16);
  void* const aligned = resource.allocate(16, 64);
  EXPECT_EQ(aligned, bytes + 64);
  EXPECT_EQ(resource.allocate(16), second);
  resource.deallocate(first, 16);
  EXPECT_EQ(resource.allocate(16, 64), first);
}

// Blocks of random sizes come and go until one is refused. Returns the bytes in use then.
template <class Take, class Give>
std::size_t filled(unsigned seed, Take take, Give give) {
  std::mt19937 random(seed);
  std::vector<std::pair<void*, std::size_t>> blocks;
  for (std::size_t in_use = 0;;) {
    if (!blocks.empty() && random() % 5 < 2) {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      in_use -= blocks.back().second;
      give(blocks.back().first, blocks.back().second);
      blocks.pop_back();
    } else {
      const std::size_t size = 1 + random() % 1200;
      void* const p = take(size);
      if (p == nullptr) return in_use;
      in_use += size;
      blocks.emplace_back(p, size);
    }
  }
}

TEST(static_resource, random_sizes_fill_it_nearly_as_the_lowest_first_do) {
  constexpr std::size_t room = 256 * 1024;
  alignas(64) static std::byte bytes[2][room];
  std::size_t ours = 0;
  std::size_t lowest_first = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    static_resource resource(bytes[0], room);
    ours += filled(
        seed, [&](std::size_t n) { return resource.try_allocate(n); },
        [&](void* p, std::size_t n) { resource.deallocate(p, n); });
    mallard::detail::extent_tree tree;
    tree.start(bytes[1], room);
    tree.give(bytes[1], room);
    lowest_first += filled(
        seed, [&](std::size_t n) { return tree.take(n, 16); },
        [&](void* p, std::size_t n) { tree.give(p, n); });
    mallard::detail::unpoison(bytes[1], room);
  }
  EXPECT_GE(ours * 100, lowest_first * 97);
}

}  // namespace
