#include "mallard/create.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mallard/buffered.hpp"
#include "mallard/checks/checked.hpp"
#include "mallard/checks/test_resource.hpp"
#include "mallard/mark_scope.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/reserved.hpp"
#include "mallard/scratch.hpp"

namespace {

using names = std::vector<int>;

// Notes its name when it is destroyed.
struct noted {
  noted(names& ended, int number) : log(ended), name(number) {}
  noted(const noted&) = delete;
  noted& operator=(const noted&) = delete;
  ~noted() { log.push_back(name); }
  names& log;
  int name;
};

template <class R>
struct created_in : testing::Test {
  names ended;
  R arena;
};
using arenas =
    testing::Types<mallard::monotonic_resource, mallard::buffered_resource<256>,
                   mallard::reserved_resource, mallard::checked<mallard::monotonic_resource>,
                   mallard::checked<mallard::reserved_resource>>;
TYPED_TEST_SUITE(created_in, arenas);

TYPED_TEST(created_in, release_destroys_the_newest_first) {
  for (int i = 0; i < 100; ++i) mallard::create<noted>(this->arena, this->ended, i);
  EXPECT_EQ(this->ended, names());
  this->arena.release();
  names expected;
  for (int i = 99; i >= 0; --i) expected.push_back(i);
  EXPECT_EQ(this->ended, expected);
  this->arena.release();
  EXPECT_EQ(this->ended, expected);
}

TYPED_TEST(created_in, reset_rewind_and_the_end_of_the_arena_destroy_too) {
  mallard::create<noted>(this->arena, this->ended, 1);
  this->arena.reset(1000);
  EXPECT_EQ(this->ended, names({1}));
  mallard::create<noted>(this->arena, this->ended, 2);
  this->arena.rewind();
  EXPECT_EQ(this->ended, names({1, 2}));
  {
    TypeParam another;
    mallard::create<noted>(another, this->ended, 3);
    mallard::create<noted>(another, this->ended, 4);
  }
  EXPECT_EQ(this->ended, names({1, 2, 4, 3}));
}

TYPED_TEST(created_in, a_rewind_to_a_mark_leaves_what_was_created_before_it) {
  mallard::create<noted>(this->arena, this->ended, 1);
  {
    const mallard::mark_scope scope(this->arena);
    mallard::create<noted>(this->arena, this->ended, 2);
    const auto inner = this->arena.mark();
    // Beyond the chunk of the marks.
    for (int i = 3; i < 200; ++i) mallard::create<noted>(this->arena, this->ended, i);
    this->arena.rewind(inner);
    EXPECT_EQ(this->ended.size(), 197u);
    EXPECT_EQ(this->ended.back(), 3);
    this->arena.rewind(inner);
    EXPECT_EQ(this->ended.size(), 197u);
  }
  EXPECT_EQ(this->ended.back(), 2);
  this->arena.release();
  EXPECT_EQ(this->ended.back(), 1);
  EXPECT_EQ(this->ended.size(), 199u);
}

TYPED_TEST(created_in, what_owns_other_memory_gives_it_back) {
  mallard::test_resource other;
  mallard::create<std::pmr::vector<int>>(this->arena, 1000u, 7,
                                         std::pmr::polymorphic_allocator<int>(&other));
  EXPECT_EQ(other.counts().in_use_blocks, 1u);
  mallard::create<std::string>(this->arena, 1000u, 'x');  // of the global heap: leak checkers look
  this->arena.release();
  EXPECT_EQ(other.counts().in_use_blocks, 0u);
}

TYPED_TEST(created_in, whatever_takes_an_allocator_gets_the_arena) {
  auto* const text = mallard::create<std::pmr::string>(this->arena, 1000u, 'x');
  EXPECT_EQ(text->get_allocator().resource(), &this->arena);
  EXPECT_EQ(*text, std::pmr::string(1000, 'x'));
  auto* const pair = mallard::create<std::pair<int, std::pmr::string>>(this->arena, 1, "two");
  EXPECT_EQ(pair->second.get_allocator().resource(), &this->arena);
  this->arena.release();  // the strings give their memory to the arena before it goes
}

struct creates_another {
  creates_another(names& ended, void (*create)(void*, names&), void* arena)
      : log(ended), create_in(create), where(arena) {}
  creates_another(const creates_another&) = delete;
  creates_another& operator=(const creates_another&) = delete;
  ~creates_another() {
    log.push_back(2);
    create_in(where, log);
  }
  names& log;
  void (*create_in)(void*, names&);
  void* where;
};

TYPED_TEST(created_in, what_a_destructor_creates_is_destroyed_next) {
  mallard::create<noted>(this->arena, this->ended, 1);
  const auto mark = this->arena.mark();
  const auto create_large = [](void* in, names& log) {
    auto& memory = *static_cast<TypeParam*>(in);
    static_cast<void>(memory.allocate(10'000, 8));  // of a chunk of its own
    mallard::create<noted>(memory, log, 3);
  };
  mallard::create<creates_another>(this->arena, this->ended, create_large, &this->arena);
  mallard::create<noted>(this->arena, this->ended, 4);
  this->arena.rewind(mark);
  EXPECT_EQ(this->ended, names({4, 2, 3}));
  mallard::create<creates_another>(this->arena, this->ended, create_large, &this->arena);
  this->arena.release();
  EXPECT_EQ(this->ended, names({4, 2, 3, 2, 3, 1}));
}

struct throws {
  throws(names& ended, bool now) : first(ended, 1) {
    if (now) throw std::runtime_error("no");
  }
  ~throws() { first.log.push_back(2); }
  throws(const throws&) = delete;
  throws& operator=(const throws&) = delete;
  noted first;
};

TYPED_TEST(created_in, what_was_not_constructed_is_not_destroyed) {
  EXPECT_THROW(mallard::create<throws>(this->arena, this->ended, true), std::runtime_error);
  EXPECT_EQ(this->ended, names({1}));  // its member, at once
  this->arena.release();
  EXPECT_EQ(this->ended, names({1}));
}

// In an array, where no argument can tell; `alive` counts.
struct numbered {
  static inline int alive = 0;
  static inline int next = 0;
  static inline int throws_at = -1;
  static inline names ended;
  numbered() : number(next) {
    if (next == throws_at) throw std::runtime_error("no");
    ++next;
    ++alive;
  }
  ~numbered() {
    --alive;
    ended.push_back(number);
  }
  numbered(const numbered&) = delete;
  numbered& operator=(const numbered&) = delete;
  static void forget() {
    alive = next = 0;
    throws_at = -1;
    ended.clear();
  }
  int number;
};

TYPED_TEST(created_in, an_array_is_destroyed_from_its_end) {
  numbered::forget();
  const std::span<numbered> three = mallard::create<numbered[]>(this->arena, 3);
  EXPECT_EQ(three.size(), 3u);
  EXPECT_EQ(three[2].number, 2);
  EXPECT_EQ(mallard::create<numbered[]>(this->arena, 0).size(), 0u);
  this->arena.release();
  EXPECT_EQ(numbered::ended, names({2, 1, 0}));
}

TYPED_TEST(created_in, an_array_whose_construction_fails_leaves_nothing) {
  numbered::forget();
  numbered::throws_at = 2;
  EXPECT_THROW(mallard::create<numbered[]>(this->arena, 3), std::runtime_error);
  EXPECT_EQ(numbered::alive, 0);
  EXPECT_EQ(numbered::ended.size(), 2u);
  this->arena.release();
  EXPECT_EQ(numbered::ended.size(), 2u);
  EXPECT_THROW(mallard::create<numbered[]>(this->arena, ~std::size_t{0} / 2),
               std::bad_array_new_length);
  EXPECT_THROW(mallard::create<int[]>(this->arena, ~std::size_t{0} / 2), std::bad_array_new_length);
}

TYPED_TEST(created_in, alignment_is_that_of_the_type) {
  struct alignas(128) wide {
    ~wide() { bytes[0] = 0; }
    char bytes[128] = {};
  };
  static_cast<void>(this->arena.allocate(1, 1));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mallard::create<wide>(this->arena)) % 128, 0u);
  const auto several = mallard::create<wide[]>(this->arena, 3);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(several.data()) % 128, 0u);
}

TYPED_TEST(created_in, what_it_owns_is_deleted_or_disposed_of) {
  noted* const heap_object = new noted(this->ended, 1);
  EXPECT_EQ(mallard::own(this->arena, heap_object), heap_object);
  int disposed = 0;
  int value = 5;
  int* const same = mallard::own(this->arena, &value, [&](int* p) { disposed += *p; });
  EXPECT_EQ(same, &value);
  EXPECT_EQ(mallard::own(this->arena, static_cast<noted*>(nullptr)), nullptr);
  this->arena.release();
  EXPECT_EQ(this->ended, names({1}));
  EXPECT_EQ(disposed, 5);
}

TEST(create, costs_two_words_beside_an_object_with_a_destructor_and_none_beside_others) {
  mallard::monotonic_resource arena;
  const auto used_by = [&](auto make) {
    const std::size_t before = arena.stats().in_use_bytes;
    make();
    return arena.stats().in_use_bytes - before;
  };
  mallard::create<int>(arena);
  const std::size_t one_block = used_by([&] { static_cast<void>(arena.allocate(16, 8)); });
  const std::size_t redzone = one_block - 16;
  EXPECT_EQ(used_by([&] { mallard::create<std::array<char, 64>>(arena); }), 64 + redzone);
  EXPECT_EQ(used_by([&] { mallard::create<std::string>(arena); }),
            sizeof(std::string) + 2 * sizeof(void*) + redzone);
  EXPECT_EQ(used_by([&] { mallard::create<int[]>(arena, 16); }), 64 + redzone);
  EXPECT_EQ(used_by([&] { mallard::create<std::string[]>(arena, 4); }),
            4 * sizeof(std::string) + 3 * sizeof(void*) + redzone);
}

TEST(create, what_cannot_be_owned_is_deleted_at_once) {
  names ended;
  mallard::monotonic_resource arena(std::pmr::null_memory_resource());
  EXPECT_THROW(mallard::own(arena, new noted(ended, 1)), std::bad_alloc);
  EXPECT_EQ(ended, names({1}));
}

TEST(create, a_scratch_scope_destroys_at_its_end) {
  names ended;
  {
    mallard::scratch_scope outer;
    mallard::create<noted>(outer, ended, 1);
    {
      mallard::scratch_scope inner;
      mallard::create<noted>(inner, ended, 2);
      mallard::create<noted>(inner, ended, 3);
    }
    EXPECT_EQ(ended, names({3, 2}));
    mallard::create<noted>(outer, ended, 4);
  }
  EXPECT_EQ(ended, names({3, 2, 4, 1}));
}

static_assert(mallard::creating_resource<mallard::monotonic_resource>);
static_assert(!mallard::creating_resource<mallard::multipool_resource>);
static_assert(!mallard::creating_resource<mallard::checked<mallard::multipool_resource>>);

#if GTEST_HAS_DEATH_TEST && MALLARD_ASSERTIONS > 0
TEST(create_death, a_mark_that_has_ended_is_found) {
  names ended;
  mallard::monotonic_resource arena;
  const auto start = arena.mark();
  mallard::create<noted>(arena, ended, 1);
  const auto later = arena.mark();
  arena.rewind(start);
  static_cast<void>(arena.allocate(64));  // so that what follows lies elsewhere
  mallard::create<noted>(arena, ended, 2);
  EXPECT_DEATH(arena.rewind(later), "a mark that has ended");
}
#endif

}  // namespace
