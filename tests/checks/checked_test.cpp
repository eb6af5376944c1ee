#include "mallard/checks/checked.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "mallard/allocator.hpp"
#include "mallard/buffered.hpp"
#include "mallard/checks/watch_program.hpp"
#include "mallard/heap.hpp"
#include "mallard/mark_scope.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/reserved.hpp"
#include "mallard/synchronized_heap.hpp"
#include "mallard/wink_out.hpp"

// Each of these says that it owns nothing but memory of its resource; most of them lie.
#define MALLARD_TEST_WINKABLE(type) \
  template <>                       \
  struct mallard::winkable<type> : std::true_type {}

struct honest {
  std::pmr::map<int, std::pmr::string> names;
  explicit honest(std::pmr::memory_resource* r) : names(r) {
    names.emplace(1, "a name that is too long for the string object itself");
  }
};
struct owns_a_string {
  std::string text = std::string(100, 'x');
};
struct owns_a_lock {
  std::mutex* lock;
  bool locks;
  ~owns_a_lock() {
    if (!locks) return;
    lock->lock();
    lock->unlock();
  }
};
struct tries_a_lock {
  std::mutex* lock;
  ~tries_a_lock() {
    if (lock->try_lock()) lock->unlock();
  }
};
struct frees_by_realloc {
  void* p = std::malloc(10);
  ~frees_by_realloc() { p = std::realloc(p, 0); }
};
struct writes {
  int file;
  ~writes() {
    if (file >= 0 && write(file, "gone\n", 5) != 5) std::perror("write");
  }
};
struct closes {
  std::FILE* file;
  ~closes() {
    if (file != nullptr) std::fclose(file);
  }
};
struct of_two_resources {
  std::pmr::string text;
  explicit of_two_resources(std::pmr::memory_resource* r) : text(100, 'x', r) {}
};
struct counts_its_end {
  std::vector<int>* ended;
  int number;
  ~counts_its_end() { ended->push_back(number); }
};
// It winks out what is its own, and then its string is freed.
struct winks_out {
  std::string text = std::string(100, 'x');
  std::vector<int>* ended;
  explicit winks_out(std::vector<int>* e) : ended(e) {}
  ~winks_out();
};
struct uses_scratch_memory {
  std::vector<int>* ended;
  ~uses_scratch_memory();
};
MALLARD_TEST_WINKABLE(honest);
MALLARD_TEST_WINKABLE(winks_out);
MALLARD_TEST_WINKABLE(uses_scratch_memory);
MALLARD_TEST_WINKABLE(owns_a_string);
MALLARD_TEST_WINKABLE(owns_a_lock);
MALLARD_TEST_WINKABLE(tries_a_lock);
MALLARD_TEST_WINKABLE(frees_by_realloc);
MALLARD_TEST_WINKABLE(writes);
MALLARD_TEST_WINKABLE(closes);
MALLARD_TEST_WINKABLE(of_two_resources);
MALLARD_TEST_WINKABLE(counts_its_end);

namespace {

using mallard::check_with;
using mallard::checked;
using mallard::make;
using mallard::test_fault;
using mallard::test_report;

#ifdef MALLARD_WATCH_BY_HOOKS
constexpr bool sees_locks = false;
#else
constexpr bool sees_locks = true;
#endif
#ifdef MALLARD_TSAN
constexpr bool sees_frees = false;
#else
constexpr bool sees_frees = true;
#endif

template <class T, class R, class... Args>
void put(R& into, Args&&... args) {
  [[maybe_unused]] T* const made = make<T>(into, std::forward<Args>(args)...);
}

// A destructor that lets it grow would free memory.
std::vector<int> room_for_ends() {
  std::vector<int> out;
  out.reserve(100);
  return out;
}

class checked_test : public testing::Test {
 protected:
  std::vector<test_fault> faults;
  std::vector<std::string> effects;
  check_with noted() {
    return {.options = {.name = "pool"}, .on_fault = [this](const test_report& r) {
              faults.push_back(r.fault);
              if (r.other != nullptr) effects.emplace_back(r.other);
            }};
  }
  // UndefinedBehaviorSanitizer looks by write whether there is memory behind an object's type.
  void forget_writes_of_sanitizers() {
    if (sees_locks) return;
    std::erase_if(effects, [](const std::string& e) { return e.ends_with(" wrote to a file"); });
  }
  void expect_effect(const std::string& type, const std::string& what) {
    ASSERT_EQ(effects.size(), 1u) << testing::PrintToString(effects);
    EXPECT_EQ(effects[0], "the destructor of " + type + " " + what);
  }
};

TEST_F(checked_test, runs_the_destructors_of_what_was_made_the_newest_first) {
  std::vector<int> ended = room_for_ends();
  {
    checked<mallard::multipool_resource> pool(noted());
    for (int i = 0; i < 3; ++i) put<counts_its_end>(pool, counts_its_end{&ended, i});
    ended.clear();  // the temporaries
    pool.release();
    EXPECT_EQ(ended, (std::vector<int>{2, 1, 0}));
    put<counts_its_end>(pool, &ended, 7);
  }
  EXPECT_EQ(ended, (std::vector<int>{2, 1, 0, 7}));
}

TEST_F(checked_test, reports_nothing_of_objects_that_own_only_memory_of_the_resource) {
  checked<mallard::multipool_resource> pool(noted());
  for (int i = 0; i < 20; ++i) {
    put<honest>(pool, &pool);
    make<std::pmr::vector<std::pmr::string>>(pool)->emplace_back(100, 'x');
    put<int>(pool, 7);
  }
  pool.release();
  EXPECT_EQ(pool.checks().counts().in_use_blocks, 0u);
  EXPECT_TRUE(faults.empty());
}

TEST_F(checked_test, containers_bound_by_type_are_watched_too) {
  using pool_type = checked<mallard::multipool_resource>;
  using ints = std::vector<int, mallard::allocator<int, pool_type>>;
  pool_type pool(noted());
  make<ints>(pool)->assign(1000, 7);
  pool.release();
  EXPECT_TRUE(faults.empty());
}

TEST_F(checked_test, reports_a_destructor_that_frees_memory_of_the_global_heap) {
  if (!sees_frees) GTEST_SKIP() << "ThreadSanitizer of gcc has no hooks for free";
  checked<mallard::multipool_resource> pool(noted());
  put<owns_a_string>(pool);
  pool.release();
  expect_effect("owns_a_string", "freed memory that is not the resource's");
}

TEST_F(checked_test, reports_a_destructor_that_takes_a_lock) {
  if (!sees_locks) GTEST_SKIP() << "a sanitizer is in the way";
  checked<mallard::multipool_resource> pool(noted());
  std::mutex lock;
  put<owns_a_lock>(pool, &lock, true);
  pool.release();
  expect_effect("owns_a_lock", "took a lock");
  put<owns_a_lock>(pool, &lock, false);
  pool.release();
  EXPECT_EQ(effects.size(), 1u);
}

TEST_F(checked_test, reports_a_destructor_that_tries_and_gets_a_lock) {
  if (!sees_locks) GTEST_SKIP() << "a sanitizer is in the way";
  checked<mallard::multipool_resource> pool(noted());
  std::mutex lock;
  put<tries_a_lock>(pool, &lock);
  pool.release();
  expect_effect("tries_a_lock", "took a lock");
  effects.clear();
  put<tries_a_lock>(pool, &lock);
  lock.lock();
  pool.release();
  lock.unlock();
  EXPECT_TRUE(effects.empty());
}

TEST_F(checked_test, reports_a_destructor_that_frees_by_realloc) {
  if (!sees_locks) GTEST_SKIP() << "a sanitizer is in the way";
  checked<mallard::multipool_resource> pool(noted());
  put<frees_by_realloc>(pool);
  pool.release();
  expect_effect("frees_by_realloc", "freed memory that is not the resource's");
}

TEST_F(checked_test, reports_a_destructor_that_writes_to_a_file) {
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  checked<mallard::monotonic_resource> arena(noted());
  put<writes>(arena, -1);
  arena.rewind();
  EXPECT_TRUE(effects.empty());
  put<writes>(arena, fileno(file));
  arena.rewind();
  if (std::ifstream("/proc/thread-self/io").good()) {
    expect_effect("writes", "wrote to a file");
  }
  std::fclose(file);
}

TEST_F(checked_test, reports_a_destructor_that_closes_a_file) {
  checked<mallard::monotonic_resource> arena(noted());
  put<closes>(arena, nullptr);
  arena.reset(0);
  EXPECT_TRUE(effects.empty());
  put<closes>(arena, std::tmpfile());
  arena.reset(0);
  bool found = false;
  for (const std::string& e : effects) found |= e == "the destructor of closes closed a file";
  EXPECT_TRUE(found);
}

TEST_F(checked_test, reports_a_destructor_that_gives_back_memory_of_another_resource) {
  mallard::test_resource other;
  checked<mallard::multipool_resource> pool(noted());
  put<of_two_resources>(pool, &pool);
  pool.release();
  EXPECT_TRUE(effects.empty());
  put<of_two_resources>(pool, &other);
  pool.release();
  expect_effect("of_two_resources", "gave back memory of another resource");
}

TEST_F(checked_test, its_own_upstream_may_be_a_test_resource) {
  mallard::test_resource upstream;
  {
    checked<mallard::multipool_resource> pool(noted(), &upstream);
    EXPECT_EQ(pool.upstream_resource(), &upstream);
    for (int i = 0; i < 1000; ++i) put<honest>(pool, &pool);
    pool.release();
    EXPECT_TRUE(faults.empty());
    EXPECT_EQ(upstream.counts().in_use_blocks, 0u);
  }
}

TEST_F(checked_test, what_was_destroyed_by_hand_is_not_destroyed_again) {
  std::vector<int> ended = room_for_ends();
  checked<mallard::multipool_resource> pool(noted());
  auto* const made = make<counts_its_end>(pool, &ended, 1);
  std::destroy_at(made);
  pool.deallocate(made, sizeof *made, alignof(counts_its_end));
  pool.release();
  EXPECT_EQ(ended, (std::vector<int>{1}));
  EXPECT_TRUE(faults.empty());
}

TEST_F(checked_test, release_checks_the_blocks_it_drops) {
  checked<mallard::heap_resource> heap(noted());
  auto* p = static_cast<char*>(heap.allocate(20, 8));
  asm volatile("" : "+r"(p));
  p[20] = 'x';
  heap.release();
  EXPECT_EQ(faults, (std::vector<test_fault>{test_fault::overrun}));
  (void)heap.allocate(10, 8);
  heap.release();  // meant: no leak
  EXPECT_EQ(faults.size(), 1u);
}

TEST_F(checked_test, a_pool_that_dies_with_blocks_in_use_says_so_an_arena_does_not) {
  {
    checked<mallard::multipool_resource> pool(noted());
    (void)pool.allocate(10, 8);
  }
  EXPECT_EQ(faults, (std::vector<test_fault>{test_fault::leak}));
  {
    checked<mallard::monotonic_resource> arena(noted());
    (void)arena.allocate(10, 8);
  }
  EXPECT_EQ(faults.size(), 1u);
}

TEST_F(checked_test, a_rewind_to_a_mark_destroys_what_was_made_since) {
  std::vector<int> ended = room_for_ends();
  checked<mallard::reserved_resource> arena(noted());
  put<counts_its_end>(arena, &ended, 1);
  auto* const kept = static_cast<char*>(arena.allocate(16, 8));
  const auto mark = arena.mark();
  put<counts_its_end>(arena, &ended, 2);
  (void)arena.allocate(100, 8);
  arena.rewind(mark);
  EXPECT_EQ(ended, (std::vector<int>{2}));
  EXPECT_EQ(arena.checks().block_of(kept).block, kept);
  arena.rewind();
  EXPECT_EQ(ended, (std::vector<int>{2, 1}));
  EXPECT_TRUE(faults.empty());
}

TEST_F(checked_test, a_wink_scope_takes_it_like_the_unchecked_one) {
  std::vector<int> ended = room_for_ends();
  checked<mallard::buffered_resource<4096>> arena(noted());
  {
    mallard::wink_scope scope{arena};
    put<counts_its_end>(arena, &ended, 3);
  }
  EXPECT_EQ(ended, (std::vector<int>{3}));
}

TEST_F(checked_test, calls_can_be_told_to_fail) {
  checked<mallard::multipool_resource> pool(noted());
  pool.checks().fail_at(0);
  EXPECT_EQ(pool.try_allocate(10, 8), nullptr);
  EXPECT_THROW(pool.checks().fail_at(0); (void)pool.allocate(10, 8), mallard::test_exception);
}

TEST_F(checked_test, blocks_of_a_heap_that_grow_are_checked) {
  checked<mallard::heap_resource> heap(noted());
  const mallard::sized_block grown = heap.allocate_expandable(100, 200, 32);
  EXPECT_GE(grown.bytes, 100u);
  std::memset(grown.p, 7, grown.bytes);
  EXPECT_EQ(heap.try_expand(grown.p, grown.bytes, grown.bytes + 1), 0u);
  EXPECT_EQ(heap.shrink(grown.p, grown.bytes, grown.bytes - 1), 0u);
  const mallard::sized_block moved = heap.remap(grown.p, grown.bytes, 1000);
  ASSERT_NE(moved.p, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(moved.p) % 32, 0u);
  EXPECT_EQ(static_cast<char*>(moved.p)[99], 7);
  EXPECT_TRUE(faults.empty());
  EXPECT_EQ(heap.try_expand(moved.p, 999, 2000), 0u);
  EXPECT_EQ(heap.shrink(static_cast<char*>(moved.p) + 16, 10, 5), 0u);
  static_cast<char*>(moved.p)[moved.bytes] = 0;
  heap.deallocate_expandable(moved.p);
  EXPECT_EQ(faults, (std::vector<test_fault>{test_fault::wrong_size, test_fault::foreign_pointer,
                                             test_fault::overrun}));
  heap.deallocate_expandable(moved.p);
  EXPECT_EQ(faults.back(), test_fault::double_free);
}

TEST_F(checked_test, blocks_of_a_burst_are_checked_each_also_those_smaller_than_a_link) {
  checked<mallard::synchronized_heap_resource> heap(noted());
  for (const std::size_t bytes : {1u, 4u, 24u}) {
    mallard::block_chain chain = heap.allocate_many(10, bytes, 1);
    EXPECT_EQ(chain.size(), 10u);
    void* const alone = chain.pop_front();
    heap.deallocate(alone, bytes, 1);
    heap.deallocate_many(chain, bytes, 1);
  }
  const std::vector<std::size_t> sizes = {3, 30, 300};
  mallard::block_chain chain = heap.allocate_many(sizes);
  for (const std::size_t bytes : sizes) heap.deallocate(chain.pop_front(), bytes);
  EXPECT_TRUE(faults.empty());
  EXPECT_EQ(heap.checks().counts().in_use_blocks, 0u);
  heap.checks().fail_at(5);
  EXPECT_THROW((void)heap.allocate_many(10, 4), mallard::test_exception);
  EXPECT_EQ(heap.checks().counts().in_use_blocks, 0u);
  chain = heap.allocate_many(2, 24);
  void* const first = chain.pop_front();
  heap.deallocate(first, 24);
  heap.deallocate(first, 24);
  heap.deallocate_many(chain, 23);
  EXPECT_EQ(faults, (std::vector<test_fault>{test_fault::double_free, test_fault::wrong_size}));
}

TEST_F(checked_test, goes_on_watching_after_what_a_destructor_winks_out_itself) {
  if (!sees_frees) GTEST_SKIP() << "ThreadSanitizer of gcc has no hooks for free";
  std::vector<int> ended = room_for_ends();
  checked<mallard::multipool_resource> pool(noted());
  put<winks_out>(pool, &ended);
  pool.release();
  forget_writes_of_sanitizers();
  EXPECT_EQ(ended, (std::vector<int>{1}));
  expect_effect("winks_out", "freed memory that is not the resource's");
}

TEST_F(checked_test, reports_nothing_of_checked_scratch_memory_of_a_destructor) {
  std::vector<int> ended = room_for_ends();
  checked<mallard::multipool_resource> pool(noted());
  put<uses_scratch_memory>(pool, &ended);
  pool.release();
  forget_writes_of_sanitizers();
  EXPECT_EQ(ended, (std::vector<int>{1}));
  EXPECT_TRUE(effects.empty()) << testing::PrintToString(effects);
}

TEST(checked_death, without_a_handler_names_the_type) {
  if (!sees_locks) GTEST_SKIP() << "a sanitizer is in the way";
  EXPECT_DEATH(
      {
        checked<mallard::multipool_resource> pool;
        put<owns_a_string>(pool);
      },
      "effect: the destructor of owns_a_string freed memory that is not the resource's");
}

}  // namespace

winks_out::~winks_out() {
  checked<mallard::buffered_resource<8192>> scratch;
  put<counts_its_end>(scratch, ended, 1);
}

uses_scratch_memory::~uses_scratch_memory() {
  checked<mallard::buffered_resource<8192>> scratch;
  put<counts_its_end>(scratch, ended, 1);
}
