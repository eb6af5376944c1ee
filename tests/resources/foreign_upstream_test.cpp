// Upstreams of the synchronized resources that lock, call back, or have to be called by one thread
// at a time: no lock of the library is held while they run but the one for each of them.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "mallard/adaptive_pool.hpp"
#include "mallard/checks/test_resource.hpp"
#include "mallard/heap.hpp"
#include "mallard/multipool.hpp"
#include "mallard/synchronized_heap.hpp"
#include "mallard/synchronized_multipool.hpp"
#include "support/hooked_upstream.hpp"
#include "support/threads.hpp"
#include "support/watchdog.hpp"

namespace {

using mallard::synchronized_heap_resource;
using mallard::synchronized_multipool_resource;
using mallard::test_resource;
using mallard_test::hooked_upstream;
using mallard_test::watchdog;

// Tells that somebody is about to take a mutex, and takes it for a moment.
struct taken_mutex {
  std::mutex mutex;
  std::latch wanted{1};
  std::atomic<bool> told = false;

  void take() {
    if (!told.exchange(true)) wanted.count_down();
    const std::lock_guard hold(mutex);
  }
};

void use_for_the_first_time() {
  synchronized_multipool_resource unrelated;
  unrelated.deallocate(unrelated.allocate(24), 24);
  std::thread([&] { unrelated.deallocate(unrelated.allocate(24), 24); }).join();
  unrelated.trim();
}

TEST(foreign_upstream, may_take_a_lock_whose_holder_uses_another_pool) {
  const watchdog dog("an unrelated pool");
  taken_mutex users;
  hooked_upstream upstream;
  upstream.before_allocate = [&] { users.take(); };
  synchronized_multipool_resource pool(&upstream);
  std::unique_lock hold(users.mutex);
  std::thread other([&] { static_cast<void>(pool.allocate(24)); });
  users.wanted.wait();
  use_for_the_first_time();
  hold.unlock();
  other.join();
}

TEST(foreign_upstream, may_take_such_a_lock_when_a_thread_ends) {
  const watchdog dog("a thread's end");
  taken_mutex users;
  hooked_upstream upstream;
  synchronized_multipool_resource pool(&upstream);
  std::unique_lock hold(users.mutex);
  std::thread other([&] {
    std::vector<void*> blocks(5000);
    for (void*& p : blocks) p = pool.allocate(100);
    for (void* p : blocks) pool.deallocate(p, 100);
    upstream.before_deallocate = [&] { users.take(); };
  });
  users.wanted.wait();
  use_for_the_first_time();
  hold.unlock();
  other.join();
}

// The block given back first is at hand until then, and the last one of its slab.
TEST(foreign_upstream, may_take_such_a_lock_when_what_a_thread_had_at_hand_empties_a_slab) {
  const watchdog dog("a thread's end");
  taken_mutex users;
  hooked_upstream upstream;
  synchronized_multipool_resource pool({.empty_slabs_kept = 0}, &upstream);
  std::vector<void*> blocks(300);
  std::unique_lock hold(users.mutex);
  std::thread other([&] {
    for (void*& p : blocks) p = pool.allocate(600);
    for (std::size_t i = 0; i < 200; ++i) pool.deallocate(blocks[i], 600);
    upstream.before_deallocate = [&] { users.take(); };
  });
  users.wanted.wait();
  use_for_the_first_time();
  hold.unlock();
  other.join();
  upstream.before_deallocate = nullptr;
}

TEST(foreign_upstream, may_take_such_a_lock_when_an_ended_thread_s_slabs_are_given_back) {
  const watchdog dog("what an ended thread left");
  taken_mutex users;
  hooked_upstream upstream;
  synchronized_multipool_resource pool(&upstream);
  std::vector<void*> blocks(5000);
  std::thread([&] {
    for (void*& p : blocks) p = pool.allocate(100);
  }).join();
  upstream.before_deallocate = [&] { users.take(); };
  std::unique_lock hold(users.mutex);
  std::thread other([&] {
    for (void* p : blocks) pool.deallocate(p, 100);
    pool.trim();
  });
  users.wanted.wait();
  use_for_the_first_time();
  hold.unlock();
  other.join();
}

TEST(foreign_upstream, does_not_keep_others_from_the_large_blocks_of_a_heap) {
  const watchdog dog("large blocks");
  taken_mutex users;
  hooked_upstream upstream;
  synchronized_heap_resource heap(&upstream);
  const auto mine = heap.allocate_at_least(1000);
  upstream.before_allocate = [&] { users.take(); };
  std::unique_lock hold(users.mutex);
  std::thread other([&] { static_cast<void>(heap.allocate_at_least(1 << 20)); });
  users.wanted.wait();
  heap.deallocate_expandable(mine.p);
  hold.unlock();
  other.join();
}

TEST(foreign_upstream, may_be_a_test_resource_over_a_pool_that_is_used_directly_too) {
  const watchdog dog("test_resource over a pool");
  for (int i = 0; i < 300; ++i) {
    synchronized_multipool_resource inner;
    test_resource checked(&inner);
    synchronized_multipool_resource outer(&checked);
    std::latch start(2);
    const auto use = [&](std::pmr::memory_resource& resource) {
      start.arrive_and_wait();
      for (int k = 0; k < 20; ++k) resource.deallocate(resource.allocate(3000), 3000);
    };
    std::thread a([&] { use(outer); });
    std::thread b([&] { use(checked); });
    a.join();
    b.join();
  }
}

TEST(foreign_upstream, is_called_by_one_thread_at_a_time_from_whatever_resources) {
  std::atomic<int> inside = 0;
  std::atomic<bool> alone = true;
  const auto look = [&] {
    if (++inside != 1) alone = false;
    std::this_thread::yield();
    --inside;
  };
  hooked_upstream upstream;
  upstream.before_allocate = upstream.before_deallocate = look;
  synchronized_multipool_resource pool({.empty_slabs_kept = 0}, &upstream);
  synchronized_heap_resource heap({.empty_slabs_kept = 0}, &upstream);
  mallard_test::in_threads(4, [&] {
    for (int i = 0; i < 25; ++i) {
      for (const std::size_t bytes :
           {std::size_t{100}, std::size_t{50'000}, std::size_t{1} << 20}) {
        void* const a = pool.allocate(bytes);
        void* const b = heap.allocate(bytes);
        pool.deallocate(a, bytes);
        heap.deallocate(b, bytes);
      }
      pool.trim();
      heap.trim();
    }
  });
  EXPECT_TRUE(alone);
}

TEST(foreign_upstream, may_use_the_resource_that_called_it) {
  const watchdog dog("an upstream that calls back");
  hooked_upstream upstream;
  synchronized_heap_resource heap(&upstream);
  int depth = 0;
  upstream.before_allocate = [&] {
    if (depth != 0) return;
    ++depth;
    heap.deallocate(heap.allocate(200), 200);
    heap.deallocate(heap.allocate(70'000), 70'000);
    --depth;
  };
  for (const std::size_t bytes : {std::size_t{24}, std::size_t{200}, std::size_t{300'000}}) {
    heap.deallocate(heap.allocate(bytes), bytes);
  }
  heap.trim();
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

// The slab that such an upstream has made the current one is not forgotten for the new one.
template <class Resource>
class called_back : public testing::Test {};
using called_back_resources =
    testing::Types<mallard::multipool_resource, mallard::heap_resource,
                   mallard::adaptive_pool_resource, synchronized_multipool_resource,
                   synchronized_heap_resource>;
TYPED_TEST_SUITE(called_back, called_back_resources);

TYPED_TEST(called_back, resources_lose_no_block) {
  hooked_upstream upstream;
  TypeParam resource(&upstream);
  for (const std::size_t bytes : {std::size_t{24}, std::size_t{3000}}) {
    std::vector<void*> blocks;
    int depth = 0;
    upstream.before_allocate = [&] {
      if (depth == 2) return;
      ++depth;
      for (int i = 0; i < 5; ++i) blocks.push_back(resource.allocate(bytes));
      --depth;
    };
    for (int i = 0; i < 2000; ++i) {
      void* const p = resource.allocate(bytes);  // may add to the blocks itself
      blocks.push_back(p);
    }
    upstream.before_allocate = nullptr;
    EXPECT_EQ(std::set<void*>(blocks.begin(), blocks.end()).size(), blocks.size());
    for (void* const p : blocks) resource.deallocate(p, bytes);
    resource.trim();
    EXPECT_EQ(resource.stats().slabs, 0u);
  }
}

// An upstream that throws once leaves the resource as it was, and its locks free.
TEST(foreign_upstream, may_throw_anything) {
  const watchdog dog("an upstream that throws");
  hooked_upstream upstream;
  synchronized_heap_resource heap(&upstream);
  upstream.before_allocate = [] { throw 42; };
  for (const std::size_t bytes : {std::size_t{24}, std::size_t{300'000}}) {
    EXPECT_THROW(static_cast<void>(heap.allocate(bytes)), int);
    EXPECT_THROW(static_cast<void>(heap.allocate_at_least(bytes)), int);
  }
  upstream.before_allocate = nullptr;
  std::thread([&] { heap.deallocate(heap.allocate(24), 24); }).join();
  heap.deallocate_expandable(heap.allocate_at_least(300'000).p);
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

// Resources come and go over upstreams that come and go at the same addresses.
TEST(foreign_upstream, comes_and_goes) {
  for (int round = 0; round < 200; ++round) {
    std::vector<std::unique_ptr<hooked_upstream>> upstreams(50);
    std::vector<std::unique_ptr<synchronized_multipool_resource>> pools;
    for (auto& upstream : upstreams) {
      upstream = std::make_unique<hooked_upstream>();
      pools.push_back(std::make_unique<synchronized_multipool_resource>(upstream.get()));
      pools.back()->deallocate(pools.back()->allocate(40), 40);
    }
  }
}

}  // namespace
