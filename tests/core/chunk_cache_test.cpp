// The cache of chunks, over a system whose calls are counted, can fail, and whose clock stands
// still until it is told otherwise.
#include "mallard/detail/core/chunk_cache.hpp"
#include "support/units.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using namespace mallard::detail;

struct fake_system {
  int maps = 0;
  int unmaps = 0;
  int refuse_maps = 0;  // the next so many
  bool huge_asked = false;
  std::size_t last_alignment = 0;
  unsigned long long now = 1000;
};
fake_system fake;

void* fake_map(std::size_t bytes, std::size_t alignment, bool huge) noexcept {
  if (fake.refuse_maps > 0) {
    --fake.refuse_maps;
    return nullptr;
  }
  ++fake.maps;
  fake.huge_asked = huge;
  fake.last_alignment = alignment;
  return os::map(bytes, alignment, false);
}
void fake_unmap(void* p, std::size_t bytes) noexcept {
  ++fake.unmaps;
  os::unmap(p, bytes);
}
unsigned long long fake_milliseconds() noexcept {
  return fake.now;
}

using mallard_test::mib;

class chunk_cache_test : public testing::Test {
 protected:
  chunk_cache_test() { fake = {}; }
  ~chunk_cache_test() override { cache.trim(); }

  void* get(std::size_t bytes, std::size_t alignment = os::page_bytes) {
    return cache.allocate(bytes, alignment, chunk_kind::dense);
  }
  void give(void* p, std::size_t bytes, std::size_t alignment = os::page_bytes) {
    cache.deallocate(p, bytes, alignment, chunk_kind::dense);
  }

  chunk_cache cache{os::page_calls{fake_map, fake_unmap, fake_milliseconds}};
};

TEST_F(chunk_cache_test, a_chunk_given_back_is_reused_without_a_call) {
  void* const p = get(mib);
  give(p, mib);
  EXPECT_EQ(get(mib), p);
  EXPECT_EQ(fake.maps, 1);
  EXPECT_EQ(fake.unmaps, 0);
  give(p, mib);
}

TEST_F(chunk_cache_test, sizes_of_one_step_share_chunks) {
  EXPECT_EQ(chunk_cache::chunk_bytes(mib + 1), mib + mib / 8);
  void* const p = get(mib + 1);
  give(p, mib + 1);
  EXPECT_EQ(get(mib + mib / 8), p);
  give(p, mib + mib / 8);
}

TEST_F(chunk_cache_test, rounds_up_by_at_most_an_eighth_and_giants_to_pages) {
  for (std::size_t bytes = chunk_cache::smallest_chunk_bytes; bytes < 200 * mib;
       bytes += bytes / 100 + 1) {
    const std::size_t chunk = chunk_cache::chunk_bytes(bytes);
    ASSERT_GE(chunk, bytes);
    ASSERT_LE(chunk, bytes > chunk_cache::largest_binned_bytes ? bytes + os::page_bytes
                                                               : bytes + bytes / 8 + 1);
    ASSERT_EQ(chunk % os::page_bytes, 0u);
  }
}

TEST_F(chunk_cache_test, large_chunks_are_aligned_for_huge_pages_and_ask_for_them) {
  void* const p = get(4 * mib);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % os::huge_page_bytes, 0u);
  EXPECT_TRUE(fake.huge_asked);
  give(p, 4 * mib);
  void* const sparse = cache.allocate(4 * mib, os::page_bytes, chunk_kind::sparse);
  EXPECT_FALSE(fake.huge_asked);
  EXPECT_NE(sparse, p);  // the kinds are kept apart
  cache.deallocate(sparse, 4 * mib, os::page_bytes, chunk_kind::sparse);
}

TEST_F(chunk_cache_test, an_alignment_of_its_own_is_honoured) {
  void* const p = get(mib, 8 * mib);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % (8 * mib), 0u);
  give(p, mib, 8 * mib);
  EXPECT_EQ(cache.usage().mapped_bytes, cache.usage().cached_bytes);
}

TEST_F(chunk_cache_test, keeps_no_more_than_its_limit) {
  cache.set_limit(3 * mib);
  void* chunks[5];
  for (void*& p : chunks) p = get(mib);
  for (void* p : chunks) give(p, mib);
  EXPECT_EQ(cache.usage().cached_bytes, 3 * mib);
  EXPECT_EQ(fake.unmaps, 2);
  cache.set_limit(mib);
  EXPECT_EQ(cache.usage().cached_bytes, mib);
}

TEST_F(chunk_cache_test, with_a_limit_of_zero_every_chunk_goes_straight_back) {
  cache.set_limit(0);
  give(get(mib), mib);
  EXPECT_EQ(fake.unmaps, 1);
  EXPECT_EQ(cache.usage().mapped_bytes, 0u);
}

TEST_F(chunk_cache_test, trim_gives_everything_back_and_says_how_much) {
  void* const a = get(mib);
  void* const b = get(100 * mib);
  give(a, mib);
  give(b, 100 * mib);
  EXPECT_EQ(cache.trim(), 101 * mib);
  EXPECT_EQ(cache.usage().mapped_bytes, 0u);
  EXPECT_EQ(cache.trim(), 0u);
}

TEST_F(chunk_cache_test, a_refused_mapping_is_tried_again_after_the_cache_is_given_back) {
  give(get(mib), mib);
  fake.refuse_maps = 1;
  void* const p = get(5 * mib);
  EXPECT_NE(p, nullptr);
  EXPECT_EQ(cache.usage().cached_bytes, 0u);
  give(p, 5 * mib);
}

TEST_F(chunk_cache_test, returns_null_when_the_system_refuses_and_loses_nothing) {
  void* const p = get(mib);
  fake.refuse_maps = 100;
  EXPECT_EQ(get(5 * mib), nullptr);
  EXPECT_EQ(cache.usage().mapped_bytes, mib);
  fake.refuse_maps = 0;
  void* const q = get(5 * mib);
  EXPECT_NE(q, nullptr);
  give(p, mib);
  give(q, 5 * mib);
}

TEST_F(chunk_cache_test, absurd_sizes_return_null) {
  for (const std::size_t below : {0u, 1u, 4095u, 4096u, 100000u}) {
    EXPECT_EQ(get(~std::size_t{0} - below), nullptr);
  }
}

TEST_F(chunk_cache_test, half_of_what_nobody_needed_for_a_while_goes_back) {
  void* chunks[8];
  for (void*& p : chunks) p = get(mib);
  for (void* p : chunks) give(p, mib);
  // The first interval only starts the watch: the low water mark is taken from here on.
  fake.now += chunk_cache::decay_interval_ms;
  give(get(mib), mib);
  fake.now += chunk_cache::decay_interval_ms;
  give(get(mib), mib);
  const std::size_t after_one = cache.usage().cached_bytes;
  EXPECT_LT(after_one, 8 * mib);
  EXPECT_GE(after_one, 4 * mib);
  for (int i = 0; i < 10; ++i) {
    fake.now += chunk_cache::decay_interval_ms;
    give(get(mib), mib);
  }
  EXPECT_LE(cache.usage().cached_bytes, 2 * mib);
  EXPECT_GE(cache.usage().cached_bytes, mib);  // the one in use stays
}

TEST_F(chunk_cache_test, what_is_needed_again_and_again_stays) {
  for (int i = 0; i < 20; ++i) {
    void* chunks[4];
    for (void*& p : chunks) p = get(mib);
    for (void* p : chunks) give(p, mib);
    fake.now += chunk_cache::decay_interval_ms;
  }
  EXPECT_EQ(fake.maps, 4);
}

TEST_F(chunk_cache_test, a_giant_is_reused_for_exactly_its_size) {
  void* const p = get(100 * mib);
  give(p, 100 * mib);
  void* const other = get(101 * mib);
  EXPECT_NE(other, p);
  EXPECT_EQ(get(100 * mib), p);
  give(other, 101 * mib);
  give(p, 100 * mib);
}

}  // namespace
