#include "mallard/synchronized_multipool.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "mallard/allocator.hpp"
#include "mallard/checks/test_resource.hpp"
#include "support/child.hpp"
#include "support/marked_block.hpp"
#include "support/seeds.hpp"
#include "support/threads.hpp"
#include "support/watchdog.hpp"
#include "support/worker.hpp"

namespace {

using mallard::synchronized_multipool_resource;

using mallard_test::give;
using mallard_test::marked_block;
using mallard_test::take;
using mallard_test::worker;
using block = marked_block;

TEST(synchronized_multipool, what_others_give_back_is_used_again) {
  synchronized_multipool_resource pool;
  worker other;
  std::vector<void*> blocks(100'000);
  for (void*& p : blocks) p = pool.allocate(24);
  const auto before = pool.stats();
  for (int round = 0; round < 5; ++round) {
    other.does([&] {
      for (void* p : blocks) pool.deallocate(p, 24);
    });
    for (void*& p : blocks) p = pool.allocate(24);
  }
  // The last batch may still be on its way.
  EXPECT_LE(pool.stats().slabs, before.slabs + 3);
  for (void* p : blocks) pool.deallocate(p, 24);
  EXPECT_EQ(pool.stats().in_use_bytes, 0u);
}

TEST(synchronized_multipool, slabs_of_ended_threads_are_adopted) {
  synchronized_multipool_resource pool;
  std::vector<block> kept;
  for (int i = 0; i < 200; ++i) {
    std::thread([&] {
      std::vector<block> own;
      for (int k = 0; k < 1000; ++k) own.push_back(take(pool, 24, 1));
      kept.push_back(own.back());
      own.pop_back();
      for (const block& b : own) give(pool, b);
    }).join();
  }
  const auto stats = pool.stats();
  EXPECT_EQ(stats.threads, 0u);
  EXPECT_LE(stats.slabs, 6u);  // 200 kept blocks of 24 bytes, and one thread's 1000
  for (const block& b : kept) give(pool, b);
  EXPECT_EQ(pool.stats().in_use_bytes, 0u);
  pool.trim();
  EXPECT_EQ(pool.stats().slabs, 0u);
}

TEST(synchronized_multipool, memory_goes_back_upstream_whoever_frees_it) {
  mallard::test_resource upstream;
  {
    synchronized_multipool_resource pool(&upstream);
    worker a;
    worker b;
    std::vector<block> blocks;
    a.does([&] {
      for (int k = 0; k < 20'000; ++k)
        blocks.push_back(take(pool, 16 + static_cast<unsigned>(k) % 3000, 4));
    });
    b.does([&] {
      for (const block& one : blocks) give(pool, one);
      pool.trim();
    });
    a.does([&] { pool.trim(); });
    EXPECT_LE(pool.stats().slabs, 1u);
    EXPECT_EQ(pool.stats().in_use_bytes, 0u);
  }
  EXPECT_EQ(upstream.counts().in_use_blocks, 0u);
}

TEST(synchronized_multipool, hundreds_of_resources_live_at_once) {
  std::deque<synchronized_multipool_resource> pools(500);
  worker other;
  std::vector<block> blocks;
  for (auto& pool : pools) {
    blocks.push_back(take(pool, 40, 5));
    other.does([&] { blocks.push_back(take(pool, 40, 6)); });
  }
  for (std::size_t i = 0; i < pools.size(); ++i) {
    give(pools[i], blocks[2 * i]);
    give(pools[i], blocks[2 * i + 1]);
    EXPECT_EQ(pools[i].stats().in_use_bytes, 0u);
  }
}

TEST(synchronized_multipool, a_resource_may_end_before_its_threads_and_after) {
  auto first = std::make_unique<synchronized_multipool_resource>();
  auto second = std::make_unique<synchronized_multipool_resource>();
  {
    worker other;
    other.does([&] {
      static_cast<void>(first->allocate(24));
      static_cast<void>(second->allocate(32 - mallard::detail::redzone_bytes));
    });
    first.reset();
    first = std::make_unique<synchronized_multipool_resource>();
    other.does([&] { static_cast<void>(first->allocate(24)); });
    EXPECT_EQ(first->stats().threads, 1u);
  }
  EXPECT_EQ(second->stats().threads, 0u);
  EXPECT_EQ(second->stats().in_use_bytes, 32u);
}

TEST(synchronized_multipool, release_is_a_new_start_for_every_thread) {
  mallard::test_resource upstream;
  synchronized_multipool_resource pool(&upstream);
  worker other;
  for (int round = 0; round < 10; ++round) {
    other.does([&] {
      for (int k = 0; k < 1000; ++k) static_cast<void>(take(pool, 100, 7));
      static_cast<void>(pool.allocate(1 << 20));
    });
    for (int k = 0; k < 1000; ++k) static_cast<void>(take(pool, 100, 8));
    pool.release();
    EXPECT_EQ(upstream.counts().in_use_blocks, 0u);
    EXPECT_EQ(pool.stats().reserved_bytes, 0u);
  }
}

// Whatever is left over for a thread's last destructors.
struct late_user {
  synchronized_multipool_resource* pool = nullptr;
  void* given = nullptr;
  ~late_user() {
    if (pool == nullptr) return;
    pool->deallocate(given, 24);
    void* const p = pool->allocate(5000);
    pool->deallocate(p, 5000);
  }
};

TEST(synchronized_multipool, a_thread_may_use_it_in_its_last_destructors) {
  synchronized_multipool_resource pool;
  std::thread([&] {
    thread_local late_user late;  // constructed before the thread's heap, destroyed after it
    late.given = nullptr;
    late.given = pool.allocate(24);
    late.pool = &pool;
  }).join();
  EXPECT_EQ(pool.stats().in_use_bytes, 0u);
}

TEST(synchronized_multipool, containers_are_filled_here_and_emptied_there) {
  synchronized_multipool_resource pool;
  using list = std::list<std::pmr::string,
                         mallard::allocator<std::pmr::string, synchronized_multipool_resource>>;
  std::optional<list> made;
  std::thread([&] {
    made.emplace(&pool);
    for (int i = 0; i < 1000; ++i) made->emplace_back(40 + i % 500, 'x', &pool);
  }).join();
  std::thread([&] { made.reset(); }).join();
  EXPECT_EQ(pool.stats().in_use_bytes, 0u);
}

// Random programs whose steps are done by threads that come and go, one step at a time, so that
// the outcome of each is known.
TEST(synchronized_multipool, random_programs_of_many_threads_agree_with_the_model) {
  for (const std::uint64_t seed : mallard_test::test_seeds(4)) {
    SCOPED_TRACE(mallard_test::reproduce_with(seed));
    std::mt19937 engine(static_cast<std::uint32_t>(seed));
    const auto random = [&] { return static_cast<unsigned>(engine()); };
    mallard::test_resource upstream;
    synchronized_multipool_resource pool({.empty_slabs_kept = random() % 4}, &upstream);
    std::vector<std::unique_ptr<worker>> workers(4);
    for (auto& w : workers) w = std::make_unique<worker>();
    std::vector<block> live;
    std::size_t live_bytes = 0;
    const auto sized = [&]() -> std::size_t {
      switch (random() % 8) {
        case 0:
          return random() % 3 * 40'000;
        case 1:
          return 1024 + random() % 31'000;
        case 2:
          return 0;
        default:
          return 1 + random() % 300;
      }
    };
    for (int step = 0; step < 1500; ++step) {
      worker& who = *workers[random() % workers.size()];
      const unsigned what = random() % 1000;
      if (what < 2) {
        pool.release();
        live.clear();
        live_bytes = 0;
        ASSERT_EQ(upstream.counts().in_use_blocks, 0u);
      } else if (what < 12) {
        auto& w = workers[random() % workers.size()];
        w.reset();  // the thread ends
        w = std::make_unique<worker>();
      } else if (what < 20) {
        who.does([&] { pool.trim(); });
      } else if (what < 30) {
        upstream.fail_at(random() % 3);
        who.does([&] {
          void* const p = pool.try_allocate(700);
          if (p != nullptr) pool.deallocate(p, 700);
        });
        upstream.never_fail();
      } else if (what < 600 || live.empty()) {
        const auto count = 1 + random() % 40;
        const std::size_t bytes = sized();
        who.does([&] {
          for (unsigned i = 0; i < count; ++i) {
            live.push_back(take(pool, bytes, static_cast<unsigned char>(random())));
          }
        });
        live_bytes += count * bytes;
      } else {
        const auto count = std::min<std::size_t>(1 + random() % 40, live.size());
        who.does([&] {
          for (std::size_t i = 0; i < count; ++i) {
            std::swap(live[random() % live.size()], live.back());
            live_bytes -= live.back().bytes;
            give(pool, live.back());
            live.pop_back();
          }
        });
      }
      if (step % 100 == 0) {
        const auto stats = pool.stats();
        ASSERT_GE(stats.in_use_bytes, live_bytes);
        if (live.empty()) {
          ASSERT_EQ(stats.in_use_bytes, 0u);
        }
        ASSERT_LE(stats.in_use_bytes, stats.reserved_bytes);
      }
    }
    for (const block& b : live) give(pool, b);
    workers.clear();
    EXPECT_EQ(pool.stats().in_use_bytes, 0u);
    pool.trim();
    EXPECT_EQ(pool.stats().slabs, 0u);
    pool.release();
    EXPECT_EQ(upstream.counts().in_use_blocks, 0u);
  }
}

// All at once, with more threads than cores: blocks go round through a common exchange.
TEST(synchronized_multipool, threads_that_exchange_blocks_at_full_speed_lose_none) {
  synchronized_multipool_resource pool;
  constexpr std::size_t places = 512;
  struct place {
    std::mutex lock;
    std::optional<block> held;
  };
  std::vector<place> exchange(places);
  for (int generation = 0; generation < 3; ++generation) {
    mallard_test::in_threads(8u, [&](unsigned t) {
      std::mt19937 engine(t + static_cast<unsigned>(generation) * 100);
      const auto random = [&] { return static_cast<unsigned>(engine()); };
      for (int i = 0; i < 10'000; ++i) {
        const std::size_t bytes = random() % 100 == 0 ? random() % 60'000 : 1 + random() % 400;
        std::optional<block> mine = take(pool, bytes, static_cast<unsigned char>(random()));
        {
          place& at = exchange[random() % places];
          const std::lock_guard hold(at.lock);
          std::swap(at.held, mine);
        }
        if (mine) give(pool, *mine);
        if (i % 1000 == 999) pool.trim();
      }
    });
  }
  for (place& at : exchange) {
    if (at.held) give(pool, *at.held);
  }
  EXPECT_EQ(pool.stats().in_use_bytes, 0u);
}

// The sanitizers' own allocators do not survive a fork among threads.
#if !defined(__SANITIZE_THREAD__) && !defined(MALLARD_ASAN)

TEST(synchronized_multipool, a_child_of_a_busy_process_can_go_on) {
  synchronized_multipool_resource pool;
  std::pmr::monotonic_buffer_resource plain;
  synchronized_multipool_resource over_plain(&plain);
  const mallard_test::busy_threads busy(3, [&] {
    std::pmr::list<std::pmr::string> list(&pool);
    for (int i = 0; i < 50; ++i) list.emplace_back(100, 'x');
    void* const big = pool.allocate(100'000);
    void* const other = over_plain.allocate(200);
    std::thread([&] { over_plain.deallocate(other, 200); }).join();
    pool.deallocate(big, 100'000);
  });
  const block before = take(pool, 64, 9);
  for (int i = 0; i < 100; ++i) {
    const int code = mallard_test::exit_code_of([&] {
      give(pool, before);
      for (int k = 0; k < 100; ++k) give(pool, take(pool, 1 + static_cast<unsigned>(k) * 500, 3));
      give(over_plain, take(over_plain, 100, 1));
      std::thread([&] { give(pool, take(pool, 100, 1)); }).join();
      pool.trim();
    });
    EXPECT_EQ(code, 0) << "child " << i;
    if (code != 0) break;
  }
  give(pool, before);
}

// Runs in the middle of a fork, when the library holds its locks: its handlers come
// first, as they are registered later.
std::function<void()> during_fork;
const int fork_handler_registered = pthread_atfork(
    [] {
      if (during_fork) during_fork();
    },
    nullptr, nullptr);

TEST(synchronized_multipool, a_thread_takes_no_lock_however_many_resources_it_uses_in_turn) {
  ASSERT_EQ(fork_handler_registered, 0);
  std::deque<synchronized_multipool_resource> pools(300);
  worker other;
  const auto use_all = [&] {
    for (auto& pool : pools) pool.deallocate(pool.allocate(24), 24);
    for (auto& pool : pools) pool.deallocate(pool.allocate(3000), 3000);
  };
  for (int i = 0; i < 3; ++i) other.does(use_all);
  during_fork = [&] {
    const mallard_test::watchdog dog("a thread that waits for the registry");
    other.does(use_all);
  };
  EXPECT_EQ(mallard_test::exit_code_of([] {}), 0);
  during_fork = nullptr;
}

// The first heap of a resource is part of it, whoever had it.
TEST(synchronized_multipool, a_child_that_releases_it_gets_nothing_of_threads_that_are_gone) {
  synchronized_multipool_resource pool;
  worker first;
  first.does([&] {
    for (int i = 0; i < 100; ++i) static_cast<void>(pool.allocate(200));
  });
  void* const mine = pool.allocate(64);
  first.does([&] { pool.deallocate(mine, 64); });  // waits for more on its way
  const int code = mallard_test::exit_code_of([&] {
    pool.release();
    const auto after = pool.stats();
    const bool is_new = after.slabs == 0 && after.in_use_bytes == 0;
    give(pool, take(pool, 200, 1));
    EXPECT_TRUE(is_new);
  });
  EXPECT_EQ(code, 0);
  pool.release();
}

TEST(synchronized_multipool, trim_finds_the_thread_s_slabs_however_many_resources_it_uses) {
  std::deque<synchronized_multipool_resource> pools(40);
  for (auto& pool : pools) pool.deallocate(pool.allocate(24), 24);
  for (auto& pool : pools) {
    EXPECT_GT(pool.trim(), 0u);
    EXPECT_EQ(pool.stats().slabs, 0u);
  }
}

TEST(synchronized_multipool, heaps_are_found_again_among_resources_that_come_and_go) {
  std::deque<synchronized_multipool_resource> lasting(40);
  worker other;
  for (int round = 0; round < 30; ++round) {
    std::deque<synchronized_multipool_resource> passing(30);
    const auto use = [&] {
      for (auto& pool : lasting) pool.deallocate(pool.allocate(24), 24);
      for (auto& pool : passing) pool.deallocate(pool.allocate(24), 24);
    };
    use();
    other.does(use);
    use();
    for (auto& pool : lasting) ASSERT_EQ(pool.stats().threads, 2u);
    for (auto& pool : passing) ASSERT_EQ(pool.stats().threads, 2u);
    lasting[static_cast<std::size_t>(round)].release();
  }
}

#endif

}  // namespace
