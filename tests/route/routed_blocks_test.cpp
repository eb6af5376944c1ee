// Routed blocks: whose they are, how large, and that no other block is where they are while they
// live, whichever thread frees them and whatever scope has ended.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "preload/next.hpp"
#include "route/preload/hook.hpp"
#include "support/threads.hpp"

namespace {

using namespace mallard;
using namespace mallard::route;

constexpr const char* scope_name = "routed blocks test";

// Each route has sizes of its own.
struct sizes {
  std::size_t smallest, largest;
};
constexpr std::array<sizes, 5> sizes_of = {
    {{16, 64}, {65, 2000}, {2001, 2032}, {3000, 4000}, {5000, 6000}}};
constexpr std::array<strategy, 5> routed = {strategy::multipool, strategy::heap,
                                            strategy::adaptive_pool, strategy::monotonic,
                                            strategy::multipool_on_monotonic};
constexpr std::size_t first_scoped = 3;

// As `mallard whatif` makes it, for a process that lives as long as this one.
void open_session(serving by = serving::resources) {
  const preload::session_file made = preload::make_session(session_kind, sizeof(session));
  ASSERT_NE(made.memory, nullptr);
  auto* const all = static_cast<session*>(made.memory);
  preload::publish(*all, session_kind, sizeof(session));
  all->by = by;
  all->route_count = routed.size();
  all->scope_count = 1;
  std::strcpy(all->scopes[0], scope_name);
  for (std::size_t i = 0; i < routed.size(); ++i) {
    const bool is_scoped = i >= first_scoped || by == serving::in_turns;
    all->routes[i] = {routed[i], 0, is_scoped ? 1u : 0u, sizes_of[i].smallest, sizes_of[i].largest};
  }
  setenv(session_kind.variable, ("/proc/self/fd/" + std::to_string(made.file)).c_str(), 1);
  // Those of a sanitizer where there is one.
  const auto calls = [](preload::function which, auto* next) {
    preload::next_functions[static_cast<std::size_t>(which)] = reinterpret_cast<void*>(next);
  };
  calls(preload::function::malloc, &std::malloc);
  calls(preload::function::free, &std::free);
  calls(preload::function::realloc, &std::realloc);
  calls(preload::function::memalign, &memalign);
}

routing_thread& thread() {
  routing_thread* const mine = this_thread.state != nullptr ? this_thread.state : make_ready();
  if (mine == nullptr) throw std::bad_alloc();
  return *mine;
}

void* allocate(std::size_t bytes, std::size_t alignment = 0) {
  const int route = thread().route_of(bytes, {});
  return route < 0 ? nullptr
                   : thread().allocate(static_cast<std::uint32_t>(route), {bytes, alignment});
}

// A block full of one byte, which it still has when it is freed.
struct filled {
  void* block = nullptr;
  std::size_t bytes = 0;
  unsigned char with = 0;
};

filled fill(std::size_t bytes, unsigned char with) {
  const filled made{allocate(bytes), bytes, with};
  if (made.block != nullptr) std::memset(made.block, with, bytes);
  return made;
}

bool is_intact(const filled& one) {
  const auto* const first = static_cast<const unsigned char*>(one.block);
  for (std::size_t i = 0; i < one.bytes; ++i) {
    if (first[i] != one.with) return false;
  }
  return true;
}

bool check_and_free(const filled& one) {
  const bool intact = is_intact(one);
  free_routed(function::free, one.block);
  return intact;
}

class routed_blocks_test : public testing::Test {
 protected:
  static void SetUpTestSuite() { open_session(); }
  std::mt19937 random_{1};

  std::size_t size_of(std::size_t route) {
    const sizes of = sizes_of[route];
    return of.smallest + random_() % (of.largest - of.smallest + 1);
  }
};

// Blocks that one thread leaves to another.
class box {
 public:
  void put(filled one) {
    const std::lock_guard hold(lock_);
    blocks_.push_back(one);
  }
  bool take(filled& out) {
    const std::lock_guard hold(lock_);
    if (blocks_.empty()) return false;
    out = blocks_.front();
    blocks_.pop_front();
    return true;
  }
  void end() {
    const std::lock_guard hold(lock_);
    ended_ = true;
  }
  bool is_over() {
    const std::lock_guard hold(lock_);
    return ended_ && blocks_.empty();
  }

 private:
  std::mutex lock_;
  std::deque<filled> blocks_;
  bool ended_ = false;
};

// Frees all that comes, and says how many were not as they had been filled.
int free_all_of(box& from) {
  int spoilt = 0;
  for (filled one; !from.is_over();) {
    if (from.take(one)) {
      spoilt += !check_and_free(one);
    } else {
      std::this_thread::yield();
    }
  }
  return spoilt;
}

TEST_F(routed_blocks_test, of_each_route_are_known_until_they_are_freed) {
  thread().enter_scope(scope_name);
  for (std::size_t route = 0; route < routed.size(); ++route) {
    for (const std::size_t alignment : {std::size_t{0}, std::size_t{16}, std::size_t{4096}}) {
      if (routed[route] == strategy::adaptive_pool && alignment > granule) continue;
      const std::size_t bytes = size_of(route);
      void* const block = allocate(bytes, alignment);
      ASSERT_NE(block, nullptr) << route;
      EXPECT_TRUE(is_routed(block));
      EXPECT_GE(routed_bytes(block), bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % (alignment == 0 ? granule : alignment),
                0u);
      EXPECT_EQ(process.arena_at(process.range.owner_of(block)).route(), route);
      std::memset(block, 1, bytes);
      free_routed(function::free, block);
      EXPECT_EQ(process.codes.get(block).bytes, 0u);
    }
  }
  thread().exit_scope(scope_name);
}

// The arena's own thread may be about to take memory from it.
TEST_F(routed_blocks_test, of_a_monotonic_arena_leave_it_as_it_is_when_another_thread_frees_them) {
  thread().enter_scope(scope_name);
  void* const first = allocate(3500);
  void* const large = reallocate_routed(allocate(3500), 100'000);
  ASSERT_NE(large, nullptr);
  std::thread([&] { free_routed(function::free, large); }).join();
  void* const next = allocate(3500);
  EXPECT_NE(next, large);
  free_routed(function::free, first);
  free_routed(function::free, next);
  thread().exit_scope(scope_name);
}

// How many blocks of the program's malloc are not known as their arena's, while they live alone.
int unknown_blocks_by_malloc() {
  open_session(serving::malloc);
  thread().enter_scope(scope_name);
  int unknown = 0;
  for (std::size_t route = 0; route < routed.size(); ++route) {
    for (const std::size_t alignment : {std::size_t{0}, std::size_t{4096}}) {
      void* block = allocate(sizes_of[route].smallest, alignment);
      const arena& owner = process.owner_of(block);
      const std::uint64_t counted = route >= first_scoped;
      const auto is_known = [&] {
        return is_routed(block) && !process.range.has(block) && owner.route() == route &&
               &process.owner_of(block) == &owner && owner.live() == counted;
      };
      unknown += !is_known();
      block = reallocate_routed(block, 100'000);
      unknown += !is_known();
      free_routed(function::free, block);
      unknown += is_routed(block) || owner.live() != 0;
    }
  }
  return unknown;
}

// In a process of their own: a session is opened once.
TEST(blocks_by_malloc, are_known_as_their_arenas_until_they_are_freed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(_exit(unknown_blocks_by_malloc()), testing::ExitedWithCode(0), "");
}

// How much is not as it should be.
int wrong_turns() {
  open_session(serving::in_turns);
  constexpr std::array<std::size_t, 2> routes = {0, first_scoped};  // a pool and an arena
  constexpr std::uint64_t scopes = 20'000;
  int wrong = 0;
  std::array<std::uint64_t, 2> by_resource{};
  for (std::uint64_t i = 0; i < scopes; ++i) {
    thread().enter_scope(scope_name);
    for (std::size_t at = 0; at < routes.size(); ++at) {
      const filled one = fill(sizes_of[routes[at]].smallest, static_cast<unsigned char>(i));
      by_resource[at] += process.range.has(one.block);
      wrong += !check_and_free(one) || process.codes.at(one.block) != 0;
    }
    thread().exit_scope(scope_name);
  }
  for (std::size_t at = 0; at < routes.size(); ++at) {
    std::array<std::uint64_t, 2> blocks{}, nanoseconds{};
    for (const turn_sums& sums : process.all->turns[routes[at]]) {
      for (std::size_t by = 0; by < 2; ++by) {
        blocks[by] += sums.blocks[by];
        nanoseconds[by] += sums.nanoseconds[by];
      }
    }
    const std::uint64_t of_turns = blocks[0] + blocks[1];
    wrong += nanoseconds[0] == 0 || nanoseconds[1] == 0 || of_turns > scopes;
    // Each pair has as many of both, and the last one may not be over.
    wrong += 2 * blocks[0] < of_turns * 3 / 5 || 2 * blocks[0] > of_turns * 7 / 5;
    wrong += by_resource[at] < blocks[0] || by_resource[at] > scopes - blocks[1];
  }
  return wrong;
}

TEST(blocks_in_turns, are_the_resources_in_one_and_the_mallocs_in_the_other) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(_exit(wrong_turns()), testing::ExitedWithCode(0), "");
}

TEST_F(routed_blocks_test, outside_of_their_scope_are_not_routed) {
  EXPECT_EQ(allocate(3500), nullptr);
  EXPECT_EQ(allocate(10), nullptr);  // of no route
  thread().enter_scope(scope_name);
  void* const inside = allocate(3500);
  ASSERT_NE(inside, nullptr);
  thread().exit_scope(scope_name);
  EXPECT_EQ(allocate(3500), nullptr);
  free_routed(function::free, inside);
}

TEST_F(routed_blocks_test, move_with_their_contents) {
  thread().enter_scope(scope_name);
  for (std::size_t route = 0; route < routed.size(); ++route) {
    const std::size_t bytes = sizes_of[route].smallest;
    filled one = fill(bytes, static_cast<unsigned char>(route + 1));
    ASSERT_NE(one.block, nullptr);
    void* const moved = reallocate_routed(one.block, 10 * bytes);
    ASSERT_NE(moved, nullptr);
    one.block = moved;
    EXPECT_TRUE(is_intact(one)) << route;
    std::memset(moved, 7, 10 * bytes);
    is_routed(moved) ? free_routed(function::free, moved) : std::free(moved);
  }
  thread().exit_scope(scope_name);
}

TEST_F(routed_blocks_test, live_on_when_their_scope_has_ended) {
  std::vector<filled> survivors;
  for (int round = 0; round < 200; ++round) {
    thread().enter_scope(scope_name);
    std::vector<filled> others;
    for (int i = 0; i < 20; ++i) {
      const auto with = static_cast<unsigned char>(round * 20 + i);
      const filled one = fill(size_of(first_scoped + static_cast<std::size_t>(i) % 2), with);
      ASSERT_NE(one.block, nullptr);
      // Every second scope leaves nothing alive, so that its arenas are reset.
      (round % 2 == 0 && i % 7 == 0 ? survivors : others).push_back(one);
    }
    for (const filled& one : others) EXPECT_TRUE(check_and_free(one));
    thread().exit_scope(scope_name);
  }
  for (const filled& one : survivors) EXPECT_TRUE(check_and_free(one));
}

TEST_F(routed_blocks_test, are_freed_by_another_thread_while_their_arenas_are_reset) {
  box given;
  int spoilt = -1;
  std::thread other([&] { spoilt = free_all_of(given); });
  std::vector<filled> kept;
  for (int round = 0; round < 1500; ++round) {
    thread().enter_scope(scope_name);
    kept.clear();
    for (int i = 0; i < 12; ++i) {
      const filled one = fill(size_of(static_cast<std::size_t>(i) % routed.size()),
                              static_cast<unsigned char>(round + i));
      ASSERT_NE(one.block, nullptr);
      if (round % 3 != 0 && i % 2 == 0) {
        given.put(one);
      } else {
        kept.push_back(one);
      }
    }
    for (const filled& one : kept) ASSERT_TRUE(check_and_free(one));
    thread().exit_scope(scope_name);
  }
  given.end();
  other.join();
  EXPECT_EQ(spoilt, 0);
}

TEST_F(routed_blocks_test, of_a_thread_that_ends_serve_others_when_they_are_freed) {
  std::vector<filled> left;
  for (int round = 0; round < 30; ++round) {
    std::vector<filled> mine;
    std::thread([&] {
      thread().enter_scope(scope_name);
      for (std::size_t i = 0; i < 40; ++i) {
        mine.push_back(
            fill(sizes_of[i % routed.size()].smallest, static_cast<unsigned char>(round + 1)));
      }
    }).join();
    for (const filled& one : left) ASSERT_TRUE(check_and_free(one));
    left = std::move(mine);
  }
  for (const filled& one : left) ASSERT_TRUE(check_and_free(one));
}

TEST_F(routed_blocks_test, of_many_threads_do_not_meet) {
  std::array<int, 4> spoilt{};
  mallard_test::in_threads(spoilt.size(), [&](std::size_t number) {
    std::mt19937 random(static_cast<unsigned>(number));
    std::vector<filled> live(64);
    for (int turn = 0; turn < 4000; ++turn) {
      filled& one = live[random() % live.size()];
      if (one.block != nullptr) spoilt[number] += !check_and_free(one);
      one = fill(16 + random() % 2000, static_cast<unsigned char>(random()));
      if (one.block == nullptr) ++spoilt[number];
    }
    for (const filled& one : live) {
      if (one.block != nullptr) spoilt[number] += !check_and_free(one);
    }
  });
  for (const int count : spoilt) EXPECT_EQ(count, 0);
}

TEST_F(routed_blocks_test, runs_of_the_range_belong_to_one_owner_each) {
  thread();
  std::array<int, 4> wrong{};
  mallard_test::in_threads(wrong.size(), [&](std::size_t number) {
    const auto owner = static_cast<std::uint32_t>(60000 + number);
    std::mt19937 random(owner);
    struct run {
      void* start = nullptr;
      std::size_t bytes = 0;
    };
    std::vector<run> live(8);
    for (int turn = 0; turn < 1500; ++turn) {
      run& one = live[random() % live.size()];
      if (one.start != nullptr) {
        auto* const last = static_cast<std::byte*>(one.start) + one.bytes - 1;
        wrong[number] += process.range.owner_of(one.start) != owner;
        wrong[number] += process.range.owner_of(last) != owner;
        process.range.give(one.start, one.bytes);
      }
      one.bytes = std::size_t{1} << (12 + random() % 9);
      one.start = process.range.take(one.bytes, owner);
      if (one.start == nullptr) ++wrong[number];
    }
    for (const run& one : live) {
      if (one.start != nullptr) process.range.give(one.start, one.bytes);
    }
  });
  for (const int count : wrong) EXPECT_EQ(count, 0);
}

}  // namespace
