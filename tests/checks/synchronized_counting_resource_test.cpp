#include "mallard/checks/synchronized_counting_resource.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory_resource>
#include <thread>
#include <vector>

#include "mallard/checks/counting_report.hpp"
#include "mallard/synchronized_multipool.hpp"
#include "support/threads.hpp"

namespace {

using mallard::synchronized_counting_resource;

TEST(synchronized_counting_resource, adds_up_what_threads_have_counted) {
  mallard::synchronized_multipool_resource pool;
  synchronized_counting_resource counter("shared", &pool);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      std::vector<void*> mine;
      for (std::size_t i = 0; i < 500; ++i) mine.push_back(counter.allocate(100, 8));
      for (std::size_t i = 0; i < 400; ++i) counter.deallocate(mine[i], 100, 8);
    });
  }
  // Reports may be asked for at any time.
  for (int i = 0; i < 20; ++i) EXPECT_LE(counter.counts().in_use_blocks, 2000u);
  EXPECT_EQ(mallard::counting_reports().size(), 1u);
  for (std::thread& t : threads) t.join();
  const auto counts = counter.counts();
  EXPECT_EQ(counts.allocations, 2000u);
  EXPECT_EQ(counts.deallocations, 1600u);
  EXPECT_EQ(counts.in_use_blocks, 400u);
  EXPECT_EQ(counts.in_use_bytes, 40000u);
  EXPECT_EQ(counts.total_bytes, 200000u);
  EXPECT_GE(counts.peak_bytes, 40000u);
  EXPECT_LE(counts.peak_bytes, 200000u);
}

TEST(synchronized_counting_resource, blocks_may_be_given_back_by_other_threads) {
  mallard::synchronized_multipool_resource pool;
  synchronized_counting_resource counter(&pool);
  std::vector<void*> blocks;
  for (int i = 0; i < 1000; ++i) blocks.push_back(counter.allocate(1000, 8));
  std::thread([&] {
    for (void* p : blocks) counter.deallocate(p, 1000, 8);
    EXPECT_EQ(counter.counts_of_this_thread().deallocations, 1000u);
    EXPECT_EQ(counter.counts_of_this_thread().in_use_bytes, 0u);
    EXPECT_EQ(counter.counts_of_this_thread().peak_bytes, 0u);
  }).join();
  EXPECT_EQ(counter.counts().in_use_blocks, 0u);
  EXPECT_EQ(counter.counts().in_use_bytes, 0u);
  EXPECT_EQ(counter.counts_of_this_thread().allocations, 1000u);
}

TEST(synchronized_counting_resource, peaks_of_one_thread_are_exact) {
  synchronized_counting_resource counter;
  counter.deallocate(counter.allocate(100, 8), 100, 8);
  EXPECT_EQ(counter.counts().peak_bytes, 100u);
  EXPECT_EQ(counter.counts().peak_blocks, 1u);
}

TEST(synchronized_counting_resource, peaks_of_several_threads_are_known_within_64_KiB_each) {
  mallard::synchronized_multipool_resource pool;
  synchronized_counting_resource counter(&pool);
  constexpr int threads = 4;
  std::atomic<int> ready{0};
  mallard_test::in_threads(threads, [&] {
    std::vector<void*> mine;
    for (int i = 0; i < 1000; ++i) mine.push_back(counter.allocate(1000, 8));
    ++ready;
    while (ready < threads) std::this_thread::yield();  // 4,000 blocks are in use now
    for (void* p : mine) counter.deallocate(p, 1000, 8);
  });
  EXPECT_LE(counter.counts().peak_bytes, 4'000'000u);
  EXPECT_GE(counter.counts().peak_bytes, 4'000'000u - threads * 64 * 1024u);
  EXPECT_LE(counter.counts().peak_blocks, 4000u);
  EXPECT_GE(counter.counts().peak_blocks, 4000u - threads * 256u);
}

TEST(synchronized_counting_resource, many_threads_one_after_the_other_share_numbers) {
  mallard::synchronized_multipool_resource pool;
  synchronized_counting_resource counter(&pool);
  for (int t = 0; t < 600; ++t) {  // more than there are numbers
    std::thread([&] { counter.deallocate(counter.allocate(10, 8), 10, 8); }).join();
  }
  EXPECT_EQ(counter.counts().allocations, 600u);
  EXPECT_EQ(counter.counts().in_use_bytes, 0u);
}

// Destroyed after the thread's number has gone.
struct late {
  synchronized_counting_resource* counter = nullptr;
  ~late() {
    if (counter != nullptr) counter->deallocate(counter->allocate(10, 8), 10, 8);
  }
};

TEST(synchronized_counting_resource, counts_what_a_thread_does_while_it_ends) {
  mallard::synchronized_multipool_resource pool;
  synchronized_counting_resource counter(&pool);
  std::thread([&] {
    static thread_local late at_end;
    at_end.counter = &counter;
    counter.deallocate(counter.allocate(10, 8), 10, 8);
  }).join();
  EXPECT_EQ(counter.counts().allocations, 2u);
}

TEST(synchronized_counting_resource, counts_nothing_when_upstream_throws) {
  synchronized_counting_resource counter(std::pmr::null_memory_resource());
  EXPECT_THROW((void)counter.allocate(1, 1), std::bad_alloc);
  EXPECT_EQ(counter.counts().allocations, 0u);
}

}  // namespace
