#include "mallard/page_source.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "support/child.hpp"
#include "support/seeds.hpp"
#include "support/threads.hpp"
#include "support/units.hpp"

namespace {

using mallard::page_source;

using mallard_test::kib;
using mallard_test::mib;

// The source is one per process; each test starts with an empty cache.
class page_source_test : public testing::Test {
 protected:
  page_source_test() { source.trim(); }
  ~page_source_test() override {
    source.set_caching(true);
    source.set_cache_limit(std::size_t{1} << 40);
  }

  page_source& source = *page_source::instance();
};

TEST_F(page_source_test, chunks_are_page_aligned_at_least) {
  for (const std::size_t bytes : {std::size_t{1}, 4 * kib, 5 * kib, 300 * kib, 3 * mib}) {
    void* const p = source.allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 4096, 0u);
    std::memset(p, 0x5A, bytes);
    source.deallocate(p, bytes);
  }
}

TEST_F(page_source_test, parts_of_pages_are_aligned_to_their_size_and_do_not_overlap) {
  const auto start = source.stats();
  for (const std::size_t bytes : {1 * kib, 2 * kib}) {
    std::vector<unsigned char*> parts(1000);
    for (unsigned char*& p : parts) {
      p = static_cast<unsigned char*>(source.allocate(bytes, bytes));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % bytes, 0u);
      std::memset(p, static_cast<int>(&p - parts.data()) % 251, bytes);
    }
    EXPECT_LT(source.stats().in_use_bytes, start.in_use_bytes + 1100 * bytes + 128 * kib);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      EXPECT_EQ(parts[i][0], i % 251);
      EXPECT_EQ(parts[i][bytes - 1], i % 251);
      source.deallocate(parts[i], bytes, bytes);
    }
  }
  source.trim();
  EXPECT_EQ(source.stats().in_use_bytes, start.in_use_bytes);
}

TEST_F(page_source_test, large_chunks_are_aligned_for_huge_pages) {
  void* const p = source.allocate(5 * mib);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % (2 * mib), 0u);
  source.deallocate(p, 5 * mib);
}

TEST_F(page_source_test, alignments_to_many_mib_are_honoured) {
  for (std::size_t alignment = 8 * kib; alignment <= 16 * mib; alignment *= 2) {
    for (const std::size_t bytes : {std::size_t{1}, 64 * kib, 3 * mib}) {
      void* const p = source.allocate(bytes, alignment);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0u);
      source.deallocate(p, bytes, alignment);
    }
  }
}

TEST_F(page_source_test, what_is_given_back_stays_warm) {
  for (const std::size_t bytes : {16 * kib, 64 * kib, mib, 5 * mib}) {
    source.deallocate(source.allocate(bytes), bytes);
    const auto before = source.stats();
    for (int i = 0; i < 100; ++i) source.deallocate(source.allocate(bytes), bytes);
    EXPECT_EQ(source.stats().os_maps, before.os_maps);
    EXPECT_EQ(source.stats().os_unmaps, before.os_unmaps);
  }
}

TEST_F(page_source_test, without_caching_a_large_chunk_goes_straight_back) {
  source.set_caching(false);
  const auto before = source.stats();
  source.deallocate(source.allocate(5 * mib), 5 * mib);
  EXPECT_EQ(source.stats().os_maps, before.os_maps + 1);
  EXPECT_EQ(source.stats().mapped_bytes, before.mapped_bytes);
}

TEST_F(page_source_test, chunks_may_come_back_under_another_setting) {
  void* const cached = source.allocate(64 * kib);
  source.set_caching(false);
  void* const uncached = source.allocate(64 * kib);
  source.deallocate(cached, 64 * kib);
  source.set_caching(true);
  source.deallocate(uncached, 64 * kib);
}

TEST_F(page_source_test, the_cache_keeps_within_its_limit) {
  source.set_cache_limit(8 * mib);
  std::vector<void*> chunks(10);
  for (void*& p : chunks) p = source.allocate(4 * mib);
  for (void* p : chunks) source.deallocate(p, 4 * mib);
  EXPECT_LE(source.stats().cached_bytes, 8 * mib + 2 * mib);
}

TEST_F(page_source_test, its_limit_holds_again_when_caching_is_switched_on_again) {
  source.trim();
  source.set_cache_limit(8 * mib);
  source.set_caching(false);
  source.set_caching(true);
  source.deallocate(source.allocate(64 * mib), 64 * mib);
  EXPECT_LE(source.stats().cached_bytes, 8 * mib);
}

TEST_F(page_source_test, a_limit_does_not_switch_caching_on) {
  source.trim();
  source.set_caching(false);
  source.set_cache_limit(1024 * mib);
  source.deallocate(source.allocate(64 * mib), 64 * mib);
  EXPECT_LT(source.stats().cached_bytes, 64 * mib);
}

TEST_F(page_source_test, stats_add_up_and_trim_empties_the_cache) {
  const auto start = source.stats();
  void* const p = source.allocate(10 * mib);
  EXPECT_EQ(source.stats().in_use_bytes, start.in_use_bytes + 10 * mib);
  source.deallocate(p, 10 * mib);
  const auto after = source.stats();
  EXPECT_EQ(after.in_use_bytes, start.in_use_bytes);
  EXPECT_GE(after.cached_bytes, 10 * mib);
  EXPECT_EQ(after.mapped_bytes, after.in_use_bytes + after.cached_bytes);
  EXPECT_GE(source.trim(), 10 * mib);
  EXPECT_LT(source.stats().cached_bytes, 10 * mib);
}

TEST_F(page_source_test, absurd_requests_throw_and_try_allocate_returns_null) {
  for (const std::size_t bytes : {~std::size_t{0}, ~std::size_t{0} - 5000, ~std::size_t{0} / 2}) {
    EXPECT_THROW((void)source.allocate(bytes), std::bad_alloc);
    EXPECT_EQ(source.try_allocate(bytes), nullptr);
  }
}

std::size_t alignment_of(std::size_t bytes) {
  return bytes < 4 * kib ? bytes : 8;
}

// Chunks wander between threads, which come and go; parts of pages among them.
TEST_F(page_source_test, serves_many_threads) {
  std::mutex lock;
  std::vector<std::pair<unsigned char*, std::size_t>> shared;
  std::atomic<int> damaged{0};
  const auto work = [&](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int i = 0; i < 2000; ++i) {
      const std::size_t bytes =
          random() % 4 == 0 ? kib << random() % 2
                            : (random() % 64 + 1) * (random() % 16 == 0 ? 64 * kib : 4 * kib);
      auto* const p = static_cast<unsigned char*>(source.allocate(bytes, alignment_of(bytes)));
      p[0] = p[bytes - 1] = static_cast<unsigned char>(bytes / kib);
      std::pair<unsigned char*, std::size_t> taken{p, bytes};
      {
        const std::lock_guard guard(lock);
        shared.push_back(taken);
        if (shared.size() < 30) continue;
        std::swap(shared[random() % shared.size()], shared.back());
        taken = shared.back();
        shared.pop_back();
      }
      const auto expected = static_cast<unsigned char>(taken.second / kib);
      damaged += taken.first[0] != expected || taken.first[taken.second - 1] != expected;
      source.deallocate(taken.first, taken.second, alignment_of(taken.second));
    }
  };
  for (const std::uint64_t seed : mallard_test::test_seeds(3)) {
    mallard_test::in_threads(4u, [&](unsigned t) { work(seed * 100 + t); });
    EXPECT_EQ(damaged, 0) << mallard_test::reproduce_with(seed);
  }
  for (const auto& [p, bytes] : shared) source.deallocate(p, bytes, alignment_of(bytes));
}

TEST_F(page_source_test, an_ended_thread_leaves_nothing_behind) {
  const auto round = [&] {
    std::thread([&] {
      for (int i = 0; i < 20; ++i) source.deallocate(source.allocate(16 * kib), 16 * kib);
    }).join();
  };
  round();
  const std::size_t before = source.stats().mapped_bytes;
  const std::size_t in_use = source.stats().in_use_bytes;
  for (int i = 0; i < 50; ++i) round();
  EXPECT_EQ(source.stats().mapped_bytes, before);
  EXPECT_EQ(source.stats().in_use_bytes, in_use);
}

#if !defined(__SANITIZE_THREAD__)
TEST_F(page_source_test, a_child_forked_amid_the_work_of_others_can_allocate) {
  const mallard_test::busy_threads busy(
      1, [&] { source.deallocate(source.allocate(3 * mib), 3 * mib); });
  for (int i = 0; i < 20; ++i) {
    const int code = mallard_test::exit_code_of([&] {
      std::memset(source.allocate(3 * mib), 1, 3 * mib);
      std::memset(source.allocate(16 * kib), 1, 16 * kib);
    });
    EXPECT_EQ(code, 0);
  }
}
#endif

}  // namespace
