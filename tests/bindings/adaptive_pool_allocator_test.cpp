#include "mallard/adaptive_pool_allocator.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <list>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "mallard/checks/test_resource.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/node_bytes.hpp"
#include "support/child.hpp"
#include "support/threads.hpp"

namespace {

using mallard::adaptive_pool_allocator;
using mallard::adaptive_pool_resource;

TEST(adaptive_pool_allocator, a_pool_of_ones_own_gives_empty_slabs_back) {
  mallard::test_resource upstream;
  mallard::adaptive_pool_options options = adaptive_pool_allocator<int>::options();
  options.block_bytes = mallard::node_bytes<std::list<int>>;
  options.alignment = alignof(void*);
  adaptive_pool_resource pool(options, &upstream);
  {
    std::list<int, adaptive_pool_allocator<int>> list(&pool);
    list.assign(100'000, 1);
    list.clear();
    EXPECT_LE(upstream.counts().in_use_blocks, 2u);
    list.assign(10, 1);
  }
  EXPECT_EQ(pool.stats().in_use_blocks, 0u);
}

TEST(adaptive_pool_allocator, bursts_are_all_or_nothing) {
  mallard::test_resource upstream;
  adaptive_pool_resource pool(adaptive_pool_allocator<long>::options(), &upstream);
  adaptive_pool_allocator<long> a(&pool);
  adaptive_pool_allocator<long>::multiallocation_chain chain;
  a.deallocate_individual(chain);
  a.allocate_individual(5000, chain);
  EXPECT_EQ(chain.size(), 5000u);
  EXPECT_EQ(pool.stats().in_use_blocks, 5000u);
  a.deallocate_one(chain.pop_front());
  a.deallocate_individual(chain);
  EXPECT_EQ(pool.stats().in_use_blocks, 0u);
  upstream.fail_after(1);
  EXPECT_THROW(a.allocate_individual(1'000'000, chain), std::bad_alloc);
  EXPECT_TRUE(chain.empty());
  EXPECT_EQ(pool.stats().in_use_blocks, 0u);
}

TEST(adaptive_pool_allocator, slabs_hold_the_blocks_and_the_overhead_that_were_asked_for) {
  for (const std::size_t blocks : {std::size_t{1}, std::size_t{600}, std::size_t{2000}}) {
    for (const unsigned percent : {2u, 5u}) {
      adaptive_pool_resource pool({.block_bytes = 24,
                                   .alignment = 8,
                                   .empty_slabs_kept = 1,
                                   .blocks_per_slab = blocks,
                                   .overhead_percent = percent});
      for (std::size_t i = 0; i < blocks; ++i) static_cast<void>(pool.allocate(24, 8));
      EXPECT_EQ(pool.stats().slabs, 1u);
      const std::size_t slab = pool.stats().reserved_bytes;
      while (pool.stats().slabs == 1) static_cast<void>(pool.allocate(24, 8));
      const std::size_t held =
          (pool.stats().in_use_blocks - 1) * (24 + mallard::detail::redzone_bytes);
      EXPECT_LE((slab - held) * 100, percent * slab);
    }
  }
}

TEST(adaptive_pool_allocator, all_containers_share_the_pool_when_none_is_given) {
  using set = std::set<int, std::less<>, adaptive_pool_allocator<int>>;
  mallard_test::in_threads(4, [] {
    for (int round = 0; round < 20; ++round) {
      set s;
      for (int i = 0; i < 500; ++i) s.insert(i * 7 % 501);
      ASSERT_EQ(s.size(), 500u);
    }
  });
  EXPECT_TRUE(set().get_allocator() == adaptive_pool_allocator<char>());
  adaptive_pool_resource pool;
  EXPECT_FALSE(adaptive_pool_allocator<int>(&pool) == adaptive_pool_allocator<int>());
}

TEST(adaptive_pool_allocator, arrays_are_allocated_and_never_grow_in_place) {
  adaptive_pool_resource pool(adaptive_pool_allocator<int>::options());
  adaptive_pool_allocator<int> a(&pool);
  int* reuse = a.allocate(10);
  int* const old = reuse;
  std::size_t count = 100;
  int* const p = a.allocation_command(1 | 2, 11, count, reuse);
  EXPECT_EQ(reuse, nullptr);
  EXPECT_EQ(count, 100u);
  reuse = p;
  EXPECT_EQ(a.allocation_command(2 | 16, 200, count, reuse), nullptr);
  EXPECT_THROW(static_cast<void>(a.allocation_command(2, 200, count, reuse)), std::bad_alloc);
  a.deallocate(old, 10);
  a.deallocate(p, 100);
  std::vector<int, mallard::node_allocator<int>> v;
  for (int i = 0; i < 1000; ++i) v.push_back(i);
  EXPECT_EQ(v[999], 999);
}

// The sanitizers' own allocators do not survive a fork among threads.
#if !defined(__SANITIZE_THREAD__) && !defined(MALLARD_ASAN)

TEST(adaptive_pool_allocator, the_shared_pool_survives_a_fork_among_threads) {
  const auto use = [] {
    std::list<int, mallard::adaptive_pool_allocator<int>> a(20);
    std::list<int, mallard::node_allocator<int>> b(20);
  };
  const mallard_test::busy_threads busy(3, use);
  for (int i = 0; i < 300; ++i) {
    const int code = mallard_test::exit_code_of([&] {
      use();
      std::thread(use).join();
    });
    ASSERT_EQ(code, 0) << "child " << i;
  }
}

template <std::size_t Bytes>
void use_the_pool_first_at_a_fork() {
  const auto use = [] {
    std::list<std::array<char, Bytes>, mallard::node_allocator<std::array<char, Bytes>>> a(2);
  };
  std::atomic<bool> ready = false;
  std::thread other([&] {
    ready = true;
    use();
  });
  while (!ready) {
  }
  const int code = mallard_test::exit_code_of(use);
  other.join();
  EXPECT_EQ(code, 0) << Bytes;
}

TEST(adaptive_pool_allocator, a_shared_pool_that_is_being_made_at_a_fork_serves_the_child) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (use_the_pool_first_at_a_fork<16 * (I + 1)>(), ...);
  }(std::make_index_sequence<60>{});
}

#endif

}  // namespace
