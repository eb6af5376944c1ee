#include "mallard/checks/limit_resource.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <memory_resource>
#include <string>
#include <system_error>
#include <thread>

#include "mallard/checks/test_resource.hpp"
#include "mallard/memory/memory_error.hpp"
#include "mallard/synchronized_multipool.hpp"
#include "support/threads.hpp"

namespace {

using mallard::at_limit;
using mallard::limit_exceeded;
using mallard::limit_resource;

TEST(limit_resource, lets_as_many_bytes_be_in_use_and_no_more) {
  mallard::test_resource below;
  limit_resource quota({.bytes = 100}, &below);
  void* const a = quota.allocate(60, 8);
  EXPECT_THROW((void)quota.allocate(41, 8), limit_exceeded);
  void* const b = quota.allocate(40, 8);
  EXPECT_EQ(quota.in_use().bytes, 100u);
  EXPECT_THROW((void)quota.allocate(1, 8), limit_exceeded);
  quota.deallocate(a, 60, 8);
  void* const c = quota.allocate(60, 8);
  quota.deallocate(b, 40, 8);
  quota.deallocate(c, 60, 8);
  EXPECT_EQ(quota.in_use().bytes, 0u);
  EXPECT_EQ(below.counts().allocations, 3u);
}

TEST(limit_resource, lets_as_many_blocks_be_in_use_and_no_more) {
  limit_resource quota({.bytes = 1000, .blocks = 2});
  void* const a = quota.allocate(0, 8);
  void* const b = quota.allocate(1, 8);
  EXPECT_THROW((void)quota.allocate(0, 8), limit_exceeded);
  EXPECT_EQ(quota.in_use().blocks, 2u);
  EXPECT_EQ(quota.in_use().bytes, 1u);
  quota.deallocate(a, 0, 8);
  quota.deallocate(b, 1, 8);
  EXPECT_EQ(quota.in_use().blocks, 0u);
}

TEST(limit_resource, what_is_too_large_takes_nothing_from_others) {
  limit_resource quota({.bytes = 1000, .blocks = 1});
  std::atomic<bool> stop{false};
  std::thread greedy([&] {
    while (!stop) EXPECT_EQ(quota.try_allocate(5000), nullptr);
  });
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    void* const p = quota.try_allocate(10);
    refused += p == nullptr;
    if (p != nullptr) quota.deallocate(p, 10);
  }
  stop = true;
  greedy.join();
  EXPECT_EQ(refused, 0);
}

TEST(limit_resource, absurd_sizes_do_not_wrap_around) {
  limit_resource quota({.bytes = ~std::size_t{0} - 1});
  void* const a = quota.allocate(100, 8);
  EXPECT_THROW((void)quota.allocate(~std::size_t{0}, 8), limit_exceeded);
  EXPECT_THROW((void)quota.allocate(~std::size_t{0} - 50, 8), limit_exceeded);
  EXPECT_EQ(quota.in_use().bytes, 100u);
  quota.deallocate(a, 100, 8);
}

TEST(limit_resource, the_exception_says_what_was_asked_for_and_what_is_allowed) {
  limit_resource quota({.bytes = 10, .blocks = 3});
  try {
    (void)quota.allocate(11, 8);
    FAIL() << "nothing was thrown";
  } catch (const limit_exceeded& e) {
    EXPECT_EQ(e.bytes(), 11u);
    EXPECT_EQ(e.limits().bytes, 10u);
    EXPECT_EQ(e.limits().blocks, 3u);
    EXPECT_STREQ(e.what(), "mallard::limit_exceeded: more than the limit would be in use");
  }
  EXPECT_EQ(quota.try_allocate(11, 8), nullptr);
}

TEST(limit_resource, a_callback_may_refuse_make_room_or_allow) {
  at_limit answer = at_limit::refuse;
  void* held = nullptr;
  limit_resource* all = nullptr;
  int calls = 0;
  limit_resource quota({.bytes = 100}, [&](std::size_t bytes, std::size_t alignment) {
    ++calls;
    EXPECT_EQ(bytes, 50u);
    EXPECT_EQ(alignment, 16u);
    if (answer == at_limit::retry) all->deallocate(std::exchange(held, nullptr), 60, 8);
    return answer;
  });
  all = &quota;
  held = quota.allocate(60, 8);
  EXPECT_THROW((void)quota.allocate(50, 16), limit_exceeded);
  answer = at_limit::allow;
  void* const beyond = quota.allocate(50, 16);
  EXPECT_EQ(quota.in_use().bytes, 110u);
  quota.deallocate(beyond, 50, 16);
  answer = at_limit::retry;
  void* const after = quota.allocate(50, 16);
  EXPECT_EQ(held, nullptr);
  EXPECT_EQ(quota.in_use().bytes, 50u);
  EXPECT_EQ(calls, 3);
  quota.deallocate(after, 50, 16);
}

// operator new of libstdc++ 12 rounds such a size up to none.
TEST(limit_resource, what_is_allowed_is_never_smaller_than_what_was_asked_for) {
  limit_resource quota({.bytes = 1}, [](std::size_t, std::size_t) { return at_limit::allow; });
  for (std::size_t below = 0; below < 64; ++below) {
    const std::size_t bytes = std::numeric_limits<std::size_t>::max() - below;
    EXPECT_THROW((void)quota.allocate(bytes, 64), std::bad_alloc);
    EXPECT_EQ(quota.try_allocate(bytes, 64), nullptr);
  }
  EXPECT_EQ(quota.in_use().bytes, 0u);
  EXPECT_EQ(quota.in_use().blocks, 0u);
}

TEST(limit_resource, what_upstream_or_the_callback_throws_changes_nothing) {
  limit_resource none({.bytes = 100}, std::pmr::null_memory_resource());
  EXPECT_THROW((void)none.allocate(1, 1), std::bad_alloc);
  EXPECT_EQ(none.in_use().bytes, 0u);
  EXPECT_EQ(none.in_use().blocks, 0u);
  limit_resource quota({.bytes = 1}, [](std::size_t, std::size_t) -> at_limit { throw 7; });
  EXPECT_THROW((void)quota.allocate(2, 1), int);
  EXPECT_EQ(quota.in_use().blocks, 0u);
}

TEST(limit_resource, a_limit_of_0_is_an_error_with_the_systems_word) {
  try {
    limit_resource quota({.bytes = 0});
    FAIL() << "nothing was thrown";
  } catch (const mallard::memory_error& e) {
    EXPECT_EQ(e.code(), std::errc::invalid_argument);
    EXPECT_EQ(e.fault(), mallard::memory_fault::bad_limit);
    EXPECT_NE(std::string(e.what()).find("limit_resource"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("0 bytes"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("Invalid argument"), std::string::npos) << e.what();
  }
  EXPECT_THROW(limit_resource({.blocks = 0}), mallard::memory_error);
}

TEST(limit_resource, the_limit_holds_for_all_threads_together) {
  mallard::synchronized_multipool_resource pool;
  limit_resource quota({.bytes = 1000}, &pool);
  mallard_test::in_threads(4, [&] {
    for (int i = 0; i < 2000; ++i) {
      if (void* const p = quota.try_allocate(300, 8)) {
        EXPECT_LE(quota.in_use().bytes, 1000u);
        quota.deallocate(p, 300, 8);
      }
    }
  });
  EXPECT_EQ(quota.in_use().bytes, 0u);
  EXPECT_EQ(quota.in_use().blocks, 0u);
}

}  // namespace
