// Scopes: what a thread allocates while one is open comes from a heap of its own.
#include <gtest/gtest.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "mallard/malloc/malloc_scope.hpp"
#include "malloc/workload.hpp"
#include "support/footprint.hpp"
#include "support/threads.hpp"
#include "support/units.hpp"

namespace {

using mallard::malloc_scope;
using mallard_test::kib;
using mallard_test::mib;

class malloc_scopes : public testing::Test {
 protected:
  ~malloc_scopes() override { mallard_heap_destroy(heap_); }
  bool owns(const void* p) const { return mallard_heap_owns(heap_, p) == 1; }
  mallard_heap* const heap_ = mallard_heap_create();
};

TEST_F(malloc_scopes, everything_that_allocates_draws_from_the_heap) {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{100}, 5 * kib, 100 * kib, 600 * kib, 12 * mib}) {
    const malloc_scope scope(heap_);
    std::vector<void*> blocks{std::malloc(bytes), std::calloc(1, bytes),
                              std::realloc(nullptr, bytes), std::aligned_alloc(64, bytes),
                              ::operator new(bytes)};
    blocks.push_back(::operator new(bytes, std::align_val_t{256}));
    for (const void* p : blocks) EXPECT_TRUE(owns(p)) << bytes;
    EXPECT_EQ(scope.survivors(), blocks.size() + 1);  // and the vector's own
    ::operator delete(blocks.back(), std::align_val_t{256});
    blocks.pop_back();
    ::operator delete(blocks.back());
    blocks.pop_back();
    for (void* p : blocks) std::free(p);
  }
  void* const p = std::malloc(100);
  EXPECT_FALSE(owns(p));
  std::free(p);
}

TEST_F(malloc_scopes, a_heap_without_survivors_gives_its_memory_back_at_once) {
  malloc_trim(0);
  const std::size_t before = mallard_test::resident_bytes();
  for (int round = 0; round < 10; ++round) {
    malloc_scope scope(heap_);
    {
      std::map<int, std::string> many;
      for (int i = 0; i < 50'000; ++i) many.emplace(i, std::string(100, 'x'));
    }
    EXPECT_EQ(scope.end(), 0u);
    EXPECT_EQ(scope.survivors(), 0u);
  }
  malloc_trim(0);
  EXPECT_LT(mallard_test::resident_bytes(), before + 3 * mib);
}

TEST_F(malloc_scopes, survivors_are_counted_and_freed_by_anybody_later) {
  std::vector<std::unique_ptr<std::string>> kept(100);
  malloc_scope scope(heap_);
  for (std::size_t i = 0; i < 1000; ++i) {
    auto one = std::make_unique<std::string>(100, 'x');
    if (i % 10 == 0) kept[i / 10] = std::move(one);
  }
  EXPECT_EQ(scope.end(), 200u);
  for (const auto& one : kept) EXPECT_EQ(*one, std::string(100, 'x'));
  EXPECT_TRUE(owns(kept[0].get()));
  std::thread([&] { kept.resize(50); }).join();
  kept.clear();
  malloc_scope again(heap_);
  EXPECT_EQ(again.survivors(), 0u);
}

TEST_F(malloc_scopes, without_a_heap_the_memory_goes_with_the_last_survivor) {
  std::vector<void*> survivors(10'000);
  malloc_trim(0);
  const std::size_t before = mallard_test::resident_bytes();
  for (int round = 0; round < 20; ++round) {
    malloc_scope scope;
    for (void*& p : survivors) p = std::memset(std::malloc(1000), 1, 1000);
    void* const large = std::malloc(700 * kib);
    void* const huge = std::malloc(10 * mib);
    EXPECT_EQ(scope.end(), survivors.size() + 2);
    for (void* p : survivors) std::free(p);
    std::free(huge);
    std::free(large);
  }
  malloc_trim(0);
  EXPECT_LT(mallard_test::resident_bytes(), before + 4 * mib);
}

// Blocks of all sizes with a slab, of which nothing lives in the end.
void use_every_class() {
  std::vector<void*> all;
  for (std::size_t bytes = 16; bytes <= 200 * kib; bytes += bytes / 4) {
    all.push_back(std::malloc(bytes));
  }
  for (void* const p : all) std::free(p);
}

TEST_F(malloc_scopes, a_survivor_holds_its_slab_and_no_other) {
  constexpr std::size_t count = 20;
  malloc_trim(0);
  const std::size_t before = mallinfo2().arena;
  std::vector<void*> survivors(count);
  for (void*& p : survivors) {
    const malloc_scope scope;
    p = std::malloc(16);
    use_every_class();
  }
  malloc_trim(0);
  EXPECT_LT(mallinfo2().arena, before + 4 * mib);
  for (void* const p : survivors) std::free(p);
}

TEST_F(malloc_scopes, without_heaps_of_their_own_many_leave_none_behind_their_last_survivors) {
  malloc_trim(0);
  const std::size_t before = mallinfo2().arena;
  std::vector<void*> survivors(2'000);
  for (void*& p : survivors) {
    const malloc_scope scope;
    p = std::malloc(100);
  }
  for (void* const p : survivors) std::free(p);
  malloc_trim(0);
  EXPECT_LT(mallinfo2().arena, before + 2 * mib);
}

TEST_F(malloc_scopes, a_last_survivor_that_is_resized_stays_a_survivor) {
  for (const std::size_t bytes : {std::size_t{5'000}, 300 * kib}) {
    malloc_scope scope;
    void* p = std::malloc(100);
    EXPECT_EQ(scope.end(), 1u);
    p = std::memset(mallard_resize(p, bytes), 1, bytes);
    malloc_scope next;
    EXPECT_EQ(next.survivors(), 0u);
    next.end();
    p = std::memset(mallard_aligned_resize(p, 4096, bytes / 3), 1, bytes / 3);
    std::free(p);
  }
}

// Opens one inside the other, without a heap of their own.
void nest_scopes(unsigned count) {
  if (count == 0) return;
  const malloc_scope scope;
  void* volatile p = std::malloc(100);
  std::free(p);
  nest_scopes(count - 1);
}

TEST_F(malloc_scopes, a_trim_takes_what_many_at_once_have_left) {
  const auto addresses = [] { return mallard_test::status_bytes("VmSize"); };
  nest_scopes(10);
  malloc_trim(0);
  const std::size_t before = addresses();
  nest_scopes(1'000);
  EXPECT_EQ(malloc_trim(0), 1);
  EXPECT_LT(addresses(), before + 16 * mib);
}

TEST_F(malloc_scopes, a_heap_with_blocks_gives_its_empty_slabs_back_when_malloc_trims) {
  malloc_trim(0);
  const std::size_t before = mallinfo2().arena;
  void* const p = mallard_heap_allocate(heap_, 16, 0);
  std::vector<void*> all;
  for (std::size_t bytes = 16; bytes <= 200 * kib; bytes += bytes / 4) {
    all.push_back(mallard_heap_allocate(heap_, bytes, 0));
  }
  for (void* const block : all) std::free(block);
  malloc_trim(0);
  EXPECT_LT(mallinfo2().arena, before + mib);
  std::free(p);
}

// While a large survivor is resized, it is in no list of its heap.
TEST_F(malloc_scopes, a_scope_counts_no_survivor_of_another_whose_last_ones_change_at_once) {
  for (int round = 0; round < 500; ++round) {
    void* large = nullptr;
    void* small = nullptr;
    {
      const malloc_scope scope;
      large = std::malloc(9 * mib);
      small = std::malloc(50);
    }
    std::atomic<bool> goes{false};
    std::thread other([&] {
      while (!goes) continue;
      std::free(small);
    });
    goes = true;
    for (int i = 0; i < round % 100 * 4; ++i) goes.load();
    large = std::realloc(large, 9 * mib + static_cast<std::size_t>(1 + round % 50) * 4096);
    other.join();
    malloc_scope scope;
    ASSERT_EQ(scope.end(), 0u) << round;
    std::free(large);
  }
}

TEST_F(malloc_scopes, nest_and_blocks_go_back_to_where_they_came_from) {
  mallard_heap* const inner_heap = mallard_heap_create();
  void* const outside = std::malloc(40);
  void* from_inner = nullptr;
  {
    const malloc_scope outer(heap_);
    void* const p = std::malloc(40);
    {
      const malloc_scope inner(inner_heap);
      from_inner = std::malloc(40);
      EXPECT_EQ(mallard_heap_owns(inner_heap, from_inner), 1);
      {
        malloc_scope same_again(inner_heap);
        EXPECT_EQ(same_again.survivors(), 1u);
        std::free(std::malloc(40));
        EXPECT_EQ(same_again.end(), 1u);
      }
      std::free(p);
      std::free(outside);
      EXPECT_EQ(outer.survivors(), 0u);
    }
    void* const q = std::malloc(40);
    EXPECT_TRUE(owns(q));
    std::free(q);
    std::free(from_inner);
  }
  EXPECT_FALSE(owns(std::unique_ptr<int>(new int).get()));
  mallard_heap_destroy(inner_heap);
}

TEST_F(malloc_scopes, ending_one_ends_those_that_were_opened_after_it) {
  mallard_scope* const outer = mallard_scope_begin(heap_);
  mallard_scope_begin(nullptr);
  mallard_scope_begin(heap_);
  EXPECT_EQ(mallard_scope_end(outer), 0u);
  void* const p = std::malloc(100);
  EXPECT_FALSE(owns(p));
  std::free(p);
}

TEST_F(malloc_scopes, an_exception_ends_them) {
  try {
    const malloc_scope scope(heap_);
    const std::string text(200, 'x');
    throw std::runtime_error(text);
  } catch (const std::runtime_error& thrown) {
    EXPECT_EQ(std::strlen(thrown.what()), 200u);
    EXPECT_TRUE(owns(thrown.what()));
  }
  EXPECT_EQ(malloc_scope(heap_).survivors(), 0u);
}

TEST_F(malloc_scopes, realloc_of_a_block_from_outside_moves_it_inside) {
  for (const std::size_t bytes : {std::size_t{40}, 20 * kib, 400 * kib}) {
    auto* p = static_cast<char*>(std::malloc(bytes));
    std::memset(p, 7, bytes);
    {
      const malloc_scope scope(heap_);
      p = static_cast<char*>(std::realloc(p, bytes * 8));
      EXPECT_EQ(p[bytes - 1], 7);
      EXPECT_TRUE(owns(p)) << bytes;
    }
    p = static_cast<char*>(std::realloc(p, bytes * 20));
    EXPECT_EQ(p[bytes - 1], 7);
    std::free(p);
  }
  EXPECT_EQ(malloc_scope(heap_).survivors(), 0u);
}

TEST_F(malloc_scopes, realloc_of_a_block_from_inside_leaves_it_in_its_heap) {
  for (const std::size_t bytes : {std::size_t{40}, 20 * kib, 400 * kib, 9 * mib}) {
    char* p = nullptr;
    {
      const malloc_scope scope(heap_);
      p = static_cast<char*>(std::malloc(bytes));
      std::memset(p, 7, bytes);
      p = static_cast<char*>(std::realloc(p, bytes * 2));
      EXPECT_TRUE(owns(p)) << bytes;
    }
    p = static_cast<char*>(std::realloc(p, bytes * 4));
    EXPECT_TRUE(owns(p)) << bytes;
    EXPECT_EQ(p[bytes - 1], 7);
    std::free(p);
  }
}

TEST_F(malloc_scopes, other_threads_allocate_as_before) {
  const malloc_scope scope(heap_);
  void* of_other = nullptr;
  std::thread([&] { of_other = std::malloc(100); }).join();
  EXPECT_FALSE(owns(of_other));
  std::free(of_other);
}

TEST_F(malloc_scopes, threads_may_have_scopes_of_one_heap_and_free_each_others_blocks) {
  constexpr unsigned threads = 4;
  std::atomic<void*> mailbox[threads]{};
  mallard_test::in_threads(threads, [&](unsigned t) {
    std::mt19937 random(t);
    for (int round = 0; round < 200; ++round) {
      const malloc_scope scope(round % 3 == 0 ? nullptr : heap_);
      for (int i = 0; i < 200; ++i) {
        const std::size_t bytes = 1 + random() % (i % 50 == 0 ? 400 * kib : 500);
        void* const p = std::malloc(bytes);
        ASSERT_NE(p, nullptr);
        std::memset(p, 1, bytes);
        std::free(mailbox[random() % threads].exchange(p));
      }
    }
  });
  for (auto& box : mailbox) std::free(box.load());
  EXPECT_EQ(malloc_scope(heap_).survivors(), 0u);
}

TEST_F(malloc_scopes, a_thread_that_ends_in_one_ends_it) {
  for (int i = 0; i < 100; ++i) {
    std::thread([&] {
      mallard_scope_begin(heap_);
      std::free(std::malloc(100));
      mallard_scope_begin(nullptr);
      std::free(std::malloc(100));
    }).join();
  }
  malloc_scope scope(heap_);
  EXPECT_EQ(scope.end(), 0u);
}

// A thread that begins a scope in one round of its destructors, and leaves it open.
struct late_scope {
  pthread_key_t key = 0;
  int round = 0;
  mallard_heap* heap = nullptr;
  bool is_open = false;
  int calls = 0;

  static void at_end(void* context) {
    auto& late = *static_cast<late_scope*>(context);
    if (++late.calls != late.round) {
      pthread_setspecific(late.key, context);
      return;
    }
    late.is_open = mallard_scope_begin(late.heap) != nullptr;
    void* const p = std::malloc(100);
    if ((mallard_heap_owns(late.heap, p) == 1) != late.is_open) std::abort();
    std::free(p);
  }
};

TEST_F(malloc_scopes, one_begun_by_a_late_destructor_ends_with_the_thread_or_is_refused) {
  for (int round = 1; round <= PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    late_scope late;
    late.round = round;
    late.heap = mallard_heap_create();
    ASSERT_EQ(pthread_key_create(&late.key, late_scope::at_end), 0);
    std::thread([&] {
      for (int i = 0; i < 100; ++i) std::free(std::malloc(100));
      pthread_setspecific(late.key, &late);
    }).join();
    pthread_key_delete(late.key);
    EXPECT_EQ(late.calls, round);
    EXPECT_TRUE(late.is_open || round > 1);
    EXPECT_FALSE(late.is_open && round == PTHREAD_DESTRUCTOR_ITERATIONS);
    mallard_heap_destroy(late.heap);  // ends the program if a scope is open
  }
}

TEST_F(malloc_scopes, a_forked_child_goes_on_in_its_scope) {
  const mallard_test::busy_threads busy(1, [&] {
    const malloc_scope scope(heap_);
    std::free(std::malloc(100));
    std::free(std::malloc(400 * kib));
  });
  for (int i = 0; i < 50; ++i) {
    const malloc_scope scope(i % 2 == 0 ? heap_ : nullptr);
    void* const p = std::malloc(100);
    const int code = malloc_test::exit_code_of([&] {
      std::free(p);
      for (std::size_t n = 0; n < 1000; ++n) std::free(std::malloc(100 + n));
      mallard_scope* const inner = mallard_scope_begin(heap_);
      std::free(std::malloc(100));
      mallard_scope_end(inner);
    });
    std::free(p);
    EXPECT_EQ(code, 0);
  }
}

TEST_F(malloc_scopes, a_heap_made_in_one_outlives_it) {
  mallard_heap* inner = nullptr;
  malloc_scope scope(heap_);
  inner = mallard_heap_create();
  EXPECT_EQ(scope.end(), 0u);
  EXPECT_NE(mallard_heap_allocate(inner, 100, 0), nullptr);
  mallard_heap_destroy(inner);
}

TEST_F(malloc_scopes, what_survives_goes_at_once_with_the_heap) {
  mallard_heap* const heap = mallard_heap_create();
  const std::size_t before = mallard_unfreed_bytes();
  malloc_scope scope(heap);
  for (int i = 0; i < 10'000; ++i) std::memset(std::malloc(200), 1, 200);
  EXPECT_EQ(scope.end(), 10'000u);
  mallard_heap_destroy(heap);
  EXPECT_LT(mallard_unfreed_bytes(), before + 100 * kib);
}

// Trees of vectors and strings, whose blocks of many sizes come and go in the order of a parser.
struct tree {
  tree() noexcept;
  tree(tree&&) noexcept;
  ~tree();
  std::vector<std::pair<std::string, tree>> members;
  std::vector<tree> elements;
  double number;
};
tree::tree() noexcept : number(0) {}
tree::tree(tree&&) noexcept = default;
tree::~tree() = default;

tree make_tree(int depth) {
  tree out;
  out.number = depth;
  if (depth % 2 == 0) {
    for (int i = 0; i < 6 && depth > 0; ++i) out.elements.push_back(make_tree(depth - 1));
  } else {
    for (int i = 0; i < 5; ++i) {
      std::string name = "the name of member number " + std::to_string(i);
      out.members.emplace_back(std::move(name), make_tree(depth - 1));
    }
  }
  return out;
}

std::size_t bytes_of_names(const tree& of) {
  std::size_t bytes = 0;
  for (const tree& element : of.elements) bytes += bytes_of_names(element);
  for (const auto& [name, member] : of.members) {
    if (name.compare(0, 26, "the name of member number ") != 0) return 0;
    bytes += name.size() + bytes_of_names(member);
  }
  return bytes;
}

TEST_F(malloc_scopes, trees_that_are_made_one_after_the_other_keep_their_contents) {
  const std::size_t bytes = bytes_of_names(make_tree(5));
  for (int round = 0; round < 40; ++round) {
    malloc_scope scope;
    {
      const tree one = make_tree(5);
      ASSERT_EQ(bytes_of_names(one), bytes);
    }
    ASSERT_EQ(scope.end(), 0u);
  }
}

TEST_F(malloc_scopes, a_random_program_keeps_its_contents) {
  std::mt19937 random(1);
  std::vector<std::pair<unsigned char*, std::size_t>> live;
  std::vector<mallard_scope*> open;
  live.reserve(400);  // before there is a scope
  open.reserve(8);
  for (int i = 0; i < 60'000; ++i) {
    const auto action = static_cast<unsigned>(random() % 200);
    if (action == 0 && open.size() < 4) {
      open.push_back(mallard_scope_begin(random() % 2 == 0 ? heap_ : nullptr));
      ASSERT_NE(open.back(), nullptr);
    } else if (action == 1 && !open.empty()) {
      mallard_scope_end(open.back());
      open.pop_back();
    } else if (live.size() > 300 || (action % 2 == 0 && !live.empty())) {
      const std::size_t at = random() % live.size();
      auto& [p, bytes] = live[at];
      for (std::size_t n = 0; n < bytes; n += 1 + bytes / 16) ASSERT_EQ(p[n], bytes % 251);
      if (action % 4 == 0) {
        const std::size_t to = 1 + random() % 3000;
        p = static_cast<unsigned char*>(std::realloc(p, to));
        for (std::size_t n = 0; n < std::min(bytes, to); n += 1 + bytes / 16) {
          ASSERT_EQ(p[n], bytes % 251);
        }
        bytes = to;
        std::memset(p, static_cast<int>(bytes % 251), bytes);
      } else {
        std::free(p);
        live[at] = live.back();
        live.pop_back();
      }
    } else {
      const std::size_t bytes = 1 + random() % (action == 3 ? 600 * kib : 2000);
      auto* const p = static_cast<unsigned char*>(std::malloc(bytes));
      ASSERT_NE(p, nullptr);
      std::memset(p, static_cast<int>(bytes % 251), bytes);
      live.emplace_back(p, bytes);
    }
  }
  for (const auto& [p, bytes] : live) std::free(p);
  if (!open.empty()) mallard_scope_end(open.front());
  EXPECT_EQ(malloc_scope(heap_).survivors(), 0u);
}

using malloc_scopes_deathtest = malloc_scopes;

TEST_F(malloc_scopes_deathtest, misuse_is_named) {
  EXPECT_DEATH(
      {
        mallard_scope* const scope = mallard_scope_begin(heap_);
        std::thread([&] { mallard_scope_end(scope); }).join();
      },
      "a scope ends on another thread than it began on");
  EXPECT_DEATH(
      {
        mallard_scope_begin(heap_);
        mallard_heap_destroy(heap_);
      },
      "destroyed while a scope of it is open");
}

}  // namespace
