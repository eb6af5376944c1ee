// Pools over memory that is limited or paid for take it in proportion to what they serve.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <new>
#include <random>
#include <unordered_map>
#include <vector>

#include "mallard/checks/limit_resource.hpp"
#include "mallard/checks/test_resource.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/heap.hpp"
#include "mallard/memory/static.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/synchronized_heap.hpp"
#include "mallard/synchronized_multipool.hpp"
#include "support/seeds.hpp"

namespace {

using mallard::heap_resource;
using mallard::multipool_resource;
using mallard::test_resource;

constexpr std::size_t KiB = 1024;

// The amount of a kind that fits: blocks, or elements, until upstream has no more.
using filler = std::size_t (*)(std::pmr::memory_resource&);

std::size_t elements_of_a_map(std::pmr::memory_resource& from) {
  std::pmr::unordered_map<int, int> map(&from);
  try {
    for (int i = 0;; ++i) map.emplace(i, i);
  } catch (const std::bad_alloc&) {
    return map.size();
  }
}

template <class NextSize>
std::size_t blocks_of(std::pmr::memory_resource& from, const NextSize& next_size) {
  std::mt19937 random(1);
  std::size_t count = 0;
  try {
    for (;; ++count) {
      const std::size_t bytes = next_size(random);
      std::memset(from.allocate(bytes, 8), 1, bytes);
    }
  } catch (const std::bad_alloc&) {
    return count;
  }
}
std::size_t long_strings(std::pmr::memory_resource& from) {
  return blocks_of(from, [](std::mt19937& random) { return 300 + random() % 601; });
}
std::size_t vectors(std::pmr::memory_resource& from) {
  return blocks_of(from, [](std::mt19937&) { return std::size_t{3 * KiB}; });
}
std::size_t small_strings(std::pmr::memory_resource& from) {
  return blocks_of(from, [](std::mt19937& random) { return 1 + random() % 64; });
}
std::size_t a_mix(std::pmr::memory_resource& from) {
  return blocks_of(from, [](std::mt19937& random) {
    if (random() % 64 == 0) return std::size_t{1 + random() % (8 * KiB)};
    return std::size_t{1 + random() % (random() % 8 == 0 ? 1 * KiB : 64)};
  });
}

template <class Pool>
std::size_t filled_by(filler fill, std::byte* storage, std::size_t bytes) {
  mallard::static_resource upstream(storage, bytes);
  Pool pool(&upstream);
  return fill(pool);
}
std::size_t filled_by_std(filler fill, std::byte* storage, std::size_t bytes) {
  std::pmr::monotonic_buffer_resource upstream(storage, bytes, std::pmr::null_memory_resource());
  std::pmr::unsynchronized_pool_resource pool(&upstream);
  return fill(pool);
}

// Redzones take their part.
constexpr bool measures_memory = mallard::detail::redzone_bytes == 0;

// libc++'s pool wastes less of 64 KiB than libstdc++'s: there ours hold at least nine tenths of it.
#ifdef _LIBCPP_VERSION
constexpr std::size_t tenths_of_std = 9;
#else
constexpr std::size_t tenths_of_std = 10;
#endif

TEST(proportion, pools_fill_static_memory_at_least_as_well_as_those_of_std) {
  if (!measures_memory) GTEST_SKIP();
  // Alignment costs most here: no slab begins where the storage does.
  alignas(256 * KiB) static std::byte memory[64 + 1024 * KiB];
  std::byte* const storage = memory + 64;
  for (const std::size_t bytes : {64 * KiB, 256 * KiB, 1024 * KiB}) {
    for (const filler fill :
         {&elements_of_a_map, &long_strings, &vectors, &small_strings, &a_mix}) {
      const std::size_t least = filled_by_std(fill, storage, bytes) * tenths_of_std;
      EXPECT_GE(10 * filled_by<multipool_resource>(fill, storage, bytes), least) << bytes;
      EXPECT_GE(10 * filled_by<heap_resource>(fill, storage, bytes), least) << bytes;
    }
  }
}

TEST(proportion, a_map_of_a_thousand_elements_takes_at_most_64_kib) {
  if (!measures_memory) GTEST_SKIP();
  test_resource upstream;
  multipool_resource pool(&upstream);
  std::pmr::unordered_map<int, int> map(&pool);
  for (int i = 0; i < 1000; ++i) map.emplace(i, i);
  EXPECT_LE(upstream.counts().peak_bytes, 64 * KiB);
}

TEST(proportion, a_few_large_blocks_take_little_more_than_they_need) {
  for (const std::size_t bytes : {1100u, 2000u, 3000u, 10'000u, 32'000u}) {
    test_resource upstream;
    multipool_resource pool(&upstream);
    void* const p = pool.allocate(bytes, 16);
    EXPECT_TRUE(pool.owns(p));
    EXPECT_LE(upstream.counts().in_use_bytes, bytes + 128);
    EXPECT_GE(pool.stats().in_use_bytes, bytes);
    pool.deallocate(p, bytes, 16);
    EXPECT_EQ(pool.stats().in_use_bytes, 0u);
  }
}

TEST(proportion, many_large_blocks_come_from_slabs) {
  test_resource upstream;
  multipool_resource pool(&upstream);
  for (int i = 0; i < 1000; ++i) static_cast<void>(pool.allocate(3000, 8));
  EXPECT_LT(upstream.counts().allocations, 60u);
}

// A block may come from a slab, whole or small, or alone; each has to find its way back.
struct block {
  unsigned char* p;
  std::size_t bytes;
  std::size_t alignment;
  unsigned char value;
};

template <class Pool>
void run_random_program(Pool& pool, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<block> live;
  const auto give = [&](std::size_t i) {
    const block b = live[i];
    ASSERT_TRUE(std::all_of(b.p, b.p + b.bytes, [&](unsigned char c) { return c == b.value; }));
    pool.deallocate(b.p, b.bytes, b.alignment);
    live[i] = live.back();
    live.pop_back();
  };
  for (int step = 0; step < 6000; ++step) {
    const std::size_t aim = step % 3000 < 1500 ? 400 : 10;
    if (live.size() < aim && random() % 4 != 0) {
      const std::size_t bytes = 1 + random() % (random() % 2 == 0 ? 1024 : 40'000);
      const std::size_t alignment = std::size_t{1} << random() % (random() % 8 == 0 ? 13 : 5);
      auto* const p = static_cast<unsigned char*>(pool.try_allocate(bytes, alignment));
      if (p == nullptr) {
        if (!live.empty()) give(random() % live.size());
        continue;
      }
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0u);
      const auto value = static_cast<unsigned char>(random());
      std::memset(p, value, bytes);
      live.push_back({p, bytes, alignment, value});
    } else if (!live.empty()) {
      give(random() % live.size());
    }
  }
  while (!live.empty()) give(live.size() - 1);
  EXPECT_EQ(pool.stats().in_use_bytes, 0u) << mallard_test::reproduce_with(seed);
}

TEST(proportion, every_block_goes_back_where_it_came_from) {
  for (const std::uint64_t seed : mallard_test::test_seeds(3)) {
    test_resource upstream;
    multipool_resource pool(&upstream);
    run_random_program(pool, seed);
    pool.trim();
    EXPECT_EQ(upstream.counts().in_use_bytes, 0u) << mallard_test::reproduce_with(seed);
  }
}

TEST(proportion, so_it_does_when_upstream_refuses_again_and_again) {
  for (const std::uint64_t seed : mallard_test::test_seeds(3)) {
    test_resource memory;
    mallard::limit_resource upstream({.bytes = 900 * KiB}, &memory);
    multipool_resource pool(&upstream);
    run_random_program(pool, seed);
    pool.trim();
    EXPECT_EQ(memory.counts().in_use_bytes, 0u) << mallard_test::reproduce_with(seed);
  }
}

TEST(proportion, so_it_does_in_static_memory_and_over_an_arena) {
  for (const std::uint64_t seed : mallard_test::test_seeds(3)) {
    const auto storage = std::make_unique<std::byte[]>(1000 * KiB);
    mallard::static_resource upstream(storage.get(), 1000 * KiB);
    multipool_resource pool(&upstream);
    run_random_program(pool, seed);
    pool.release();
    EXPECT_EQ(upstream.in_use_bytes(), 0u) << mallard_test::reproduce_with(seed);
    mallard::monotonic_resource arena;
    multipool_resource over_arena(&arena);
    run_random_program(over_arena, seed);
  }
}

TEST(proportion, all_memory_can_be_had_again_after_it_was_full) {
  const auto storage = std::make_unique<std::byte[]>(64 * KiB);
  mallard::static_resource upstream(storage.get(), 64 * KiB);
  multipool_resource pool(&upstream);
  std::vector<void*> blocks;
  for (const std::size_t bytes : {3000u, 700u, 40u, 3000u}) {
    while (void* const p = pool.try_allocate(bytes, 8)) blocks.push_back(p);
    EXPECT_GT(blocks.size() * bytes, 30 * KiB);
    for (void* const p : blocks) pool.deallocate(p, bytes, 8);
    blocks.clear();
  }
}

TEST(proportion, lone_blocks_over_an_arena_are_used_again) {
  mallard::monotonic_resource arena;
  multipool_resource pool(&arena);
  std::size_t once = 0;
  for (int i = 0; i < 1000; ++i) {
    void* const a = pool.allocate(3000, 8);
    void* const b = pool.allocate(10'000, 8);
    void* const c = pool.allocate(2900, 8);
    for (void* const p : {a, c}) pool.deallocate(p, p == a ? 3000 : 2900, 8);
    pool.deallocate(b, 10'000, 8);
    if (i == 0) once = arena.stats().in_use_bytes;
  }
  EXPECT_EQ(arena.stats().in_use_bytes, once);
}

TEST(proportion, a_lone_block_is_not_handed_out_where_more_alignment_is_asked_for) {
  test_resource upstream;
  multipool_resource pool(&upstream);
  for (const std::size_t alignment : {64u, 1024u, 4096u}) {
    pool.deallocate(pool.allocate(4096, 8), 4096, 8);
    void* const p = pool.allocate(4096, alignment);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0u);
    pool.deallocate(p, 4096, alignment);
  }
}

TEST(proportion, bursts_of_large_blocks_may_be_lone_ones) {
  test_resource upstream;
  heap_resource heap(&upstream);
  mallard::block_chain few = heap.allocate_many(3, 3000, 8);
  EXPECT_LE(upstream.counts().in_use_bytes, 10 * KiB);
  mallard::block_chain many = heap.allocate_many(300, 3000, 8);
  heap.deallocate_many(few, 3000, 8);
  heap.deallocate_many(many, 3000, 8);
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
  heap.trim();
  EXPECT_EQ(upstream.counts().in_use_bytes, 0u);
}

TEST(proportion, release_gives_lone_blocks_back_in_use_and_idle) {
  test_resource upstream;
  multipool_resource pool(&upstream);
  static_cast<void>(pool.allocate(3000, 8));
  pool.deallocate(pool.allocate(5000, 8), 5000, 8);
  pool.release();
  EXPECT_EQ(upstream.counts().in_use_bytes, 0u);
  static_cast<void>(pool.allocate(3000, 8));
}

// How many blocks of this size a resource over 8 MiB has.
template <class Resource>
std::size_t count_of(Resource& from, std::size_t bytes) {
  std::size_t count = 0;
  while (from.try_allocate(bytes) != nullptr) ++count;
  return count;
}

template <class Resource>
class freed_memory : public testing::Test {};
using freeing_resources =
    testing::Types<multipool_resource, heap_resource, mallard::synchronized_multipool_resource,
                   mallard::synchronized_heap_resource>;
TYPED_TEST_SUITE(freed_memory, freeing_resources);

TYPED_TEST(freed_memory, serves_blocks_of_any_other_size) {
  alignas(4096) static std::byte memory[8 << 20];
  constexpr std::size_t sizes[] = {8, 300, 3'000, 30'000, 100'000, 1'000'000};
  for (const std::size_t before : sizes) {
    for (const std::size_t bytes : sizes) {
      const auto count = [&](bool is_used) {
        mallard::static_resource upstream(memory);
        TypeParam resource(&upstream);
        std::vector<void*> blocks;
        while (void* const p = is_used ? resource.try_allocate(before) : nullptr) {
          blocks.push_back(p);
        }
        for (void* const p : blocks) resource.deallocate(p, before);
        return count_of(resource, bytes);
      };
      // One block less, or a tenth.
      const std::size_t of_fresh = count(false);
      EXPECT_GE(count(true), of_fresh - of_fresh / 10 - 1) << bytes << " after " << before;
    }
  }
}

// Each class holds a slab, and two are all that there are. An upstream may throw anything.
template <class Resource>
class few_slabs : public testing::Test {};
using pools_of_one_thread = testing::Types<multipool_resource, heap_resource>;
TYPED_TEST_SUITE(few_slabs, pools_of_one_thread);

class refusing_by_int final : public std::pmr::memory_resource {
 public:
  explicit refusing_by_int(std::pmr::memory_resource* from) : from_(from) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    try {
      return from_->allocate(bytes, alignment);
    } catch (const std::bad_alloc&) {
      throw 1;
    }
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    from_->deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::pmr::memory_resource* from_;
};

TYPED_TEST(few_slabs, serve_other_classes_when_they_are_empty) {
  for (const std::size_t bytes : {900u, 5'000u, 30'000u, 100'000u}) {
    mallard::limit_resource limit({.blocks = 2});
    refusing_by_int upstream(&limit);
    TypeParam pool(&upstream);
    void* const a = pool.allocate(24);
    void* const b = pool.allocate(200);
    pool.deallocate(a, 24);
    pool.deallocate(b, 200);
    EXPECT_NE(pool.try_allocate(bytes), nullptr) << bytes;
  }
}

template <class Heap>
class heap_over_an_arena : public testing::Test {};
using heaps = testing::Types<heap_resource, mallard::synchronized_heap_resource>;
TYPED_TEST_SUITE(heap_over_an_arena, heaps);

// A plain pointer does not tell that it is one: then the options do.
TEST(heap_over_a_plain_pointer, loses_nothing_where_every_slab_is_kept) {
  static std::byte memory[2 << 20];
  mallard::monotonic_resource arena(memory, sizeof memory, std::pmr::null_memory_resource());
  std::pmr::memory_resource* const plain = &arena;
  heap_resource heap({.empty_slabs_kept = ~std::size_t{0}}, plain);
  heap.deallocate(heap.allocate(1'000'000), 1'000'000);
  EXPECT_GT(count_of(heap, 24), 0u);
  EXPECT_NE(heap.try_allocate(1'000'000), nullptr);
}

TYPED_TEST(heap_over_an_arena, loses_nothing_where_the_arena_is_full) {
  static std::byte memory[2 << 20];
  mallard::monotonic_resource arena(memory, sizeof memory, std::pmr::null_memory_resource());
  TypeParam heap(&arena);
  void* const p = heap.allocate(1'000'000);
  heap.deallocate(p, 1'000'000);
  EXPECT_GT(count_of(heap, 24), 0u);
  EXPECT_NE(heap.try_allocate(1'000'000), nullptr);
}

}  // namespace
