#include "mallard/allocate_unique.hpp"

#include <gtest/gtest.h>

#include <concepts>
#include <future>
#include <map>
#include <memory_resource>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mallard/checks/test_resource.hpp"
#include "mallard/copy.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/object_pool.hpp"
#include "mallard/typed.hpp"

namespace {

using mallard::allocate_unique;
using mallard::test_resource;

// Throws when the `throws_at`-th of them is made; counts those that live.
struct counted {
  counted() {
    if (made++ == throws_at) throw std::runtime_error("no");
    ++alive;
  }
  ~counted() { --alive; }
  static inline int made = 0, alive = 0, throws_at = -1;
};

TEST(allocate_unique, the_deleter_gives_the_memory_back_to_the_resource) {
  test_resource memory;
  {
    const auto number = allocate_unique<int>(memory, 7);
    EXPECT_EQ(*number, 7);
    EXPECT_EQ(memory.counts().in_use_bytes, sizeof(int));
    EXPECT_EQ(number.get_deleter().resource(), &memory);
  }
  EXPECT_EQ(memory.counts().in_use_blocks, 0u);
}

TEST(allocate_unique, a_type_that_takes_an_allocator_gets_the_resources) {
  test_resource memory;
  mallard::multipool_resource pool;
  const auto by_base = allocate_unique<std::pmr::string>(memory, 100u, 'x');
  EXPECT_EQ(by_base->get_allocator().resource(), &memory);
  const auto by_type =
      allocate_unique<mallard::typed::vector<int, mallard::multipool_resource>>(pool, 10u);
  EXPECT_EQ(by_type->get_allocator().resource(), &pool);
  const auto two = allocate_unique<std::pair<std::pmr::string, std::pmr::vector<int>>>(memory);
  EXPECT_EQ(two->first.get_allocator().resource(), &memory);
  EXPECT_EQ(two->second.get_allocator().resource(), &memory);
}

TEST(allocate_unique, an_allocator_among_the_arguments_is_the_one_that_counts) {
  test_resource memory, other;
  const auto text = allocate_unique<std::pmr::string>(memory, "abc", &other);
  EXPECT_EQ(text->get_allocator().resource(), &other);
}

TEST(allocate_unique, the_resource_may_be_known_by_its_base_alone) {
  test_resource memory;
  std::pmr::memory_resource& base = memory;
  std::unique_ptr<int, mallard::resource_deleter<int>> number = allocate_unique<int>(base, 1);
  EXPECT_EQ(memory.counts().in_use_blocks, 1u);
  number.reset();
  EXPECT_EQ(memory.counts().in_use_blocks, 0u);
}

TEST(allocate_unique, makes_arrays_and_destroys_every_element) {
  test_resource memory;
  counted::made = counted::alive = 0;
  counted::throws_at = -1;
  {
    const auto all = allocate_unique<counted[]>(memory, 5);
    EXPECT_EQ(counted::alive, 5);
    EXPECT_EQ(all.get_deleter().size(), 5u);
    const auto zeros = allocate_unique<int[]>(memory, 100);
    EXPECT_EQ(zeros[99], 0);
    const auto texts = allocate_unique<std::pmr::string[]>(memory, 2);
    EXPECT_EQ(texts[1].get_allocator().resource(), &memory);
    const auto none = allocate_unique<int[]>(memory, 0);
  }
  EXPECT_EQ(counted::alive, 0);
  EXPECT_EQ(memory.counts().in_use_blocks, 0u);
  EXPECT_THROW((void)allocate_unique<long[]>(memory, ~std::size_t{0} / 4),
               std::bad_array_new_length);
}

TEST(allocate_unique, makes_constants) {
  test_resource memory;
  {
    const auto number = allocate_unique<const int>(memory, 7);
    static_assert(std::same_as<decltype(*number), const int&>);
    EXPECT_EQ(*number, 7);
    const auto texts = allocate_unique<const std::pmr::string[]>(memory, 3u);
    EXPECT_TRUE(texts[2].empty());
  }
  EXPECT_EQ(memory.counts().in_use_blocks, 0u);
}

TEST(allocate_unique, a_constructor_that_throws_leaves_nothing_behind) {
  test_resource memory;
  counted::made = counted::alive = 0;
  counted::throws_at = 3;
  EXPECT_THROW((void)allocate_unique<counted[]>(memory, 5), std::runtime_error);
  EXPECT_EQ(counted::alive, 0);
  counted::throws_at = counted::made;
  EXPECT_THROW((void)allocate_unique<counted>(memory), std::runtime_error);
  EXPECT_EQ(memory.counts().in_use_blocks, 0u);
}

TEST(object_pool, objects_are_made_side_by_side_and_destroyed_alone) {
  test_resource upstream;
  counted::made = counted::alive = 0;
  counted::throws_at = -1;
  {
    mallard::object_pool<counted> pool(&upstream);
    counted* const a = pool.create();
    counted* const b = pool.create();
    EXPECT_NE(a, b);
    EXPECT_EQ(pool.size(), 2u);
    {
      const auto c = pool.create_unique();
      EXPECT_EQ(counted::alive, 3);
    }
    pool.destroy(a);
    EXPECT_EQ(counted::alive, 1);
    EXPECT_EQ(pool.size(), 1u);
    counted::throws_at = counted::made;
    EXPECT_THROW((void)pool.create(), std::runtime_error);
    EXPECT_EQ(pool.size(), 1u);
    pool.destroy(b);
    EXPECT_EQ(pool.stats().oversize_blocks, 0u);
    EXPECT_GT(pool.trim(), 0u);
  }
  EXPECT_EQ(upstream.counts().in_use_blocks, 0u);
}

TEST(object_pool, what_an_object_owns_comes_from_the_pools_upstream) {
  test_resource upstream;
  mallard::object_pool<std::pmr::string> names(&upstream);
  std::pmr::string* const name = names.create(100u, 'x');
  EXPECT_EQ(name->get_allocator().resource(), &upstream);
  names.destroy(name);
}

TEST(object_pool, serves_types_of_any_size_and_alignment) {
  struct alignas(64) wide {
    char bytes[192];
  };
  mallard::object_pool<char> chars;
  mallard::object_pool<wide> wides;
  char* const c = chars.create('x');
  wide* const w = wides.create();
  EXPECT_EQ(*c, 'x');
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(w) % 64, 0u);
  chars.destroy(c);
  wides.destroy(w);
  mallard::object_pool<const int> constants;
  constants.destroy(constants.create(3));
}

// Its constructor takes anything for an allocator, and uses it as one.
TEST(allocate_unique, a_promise_has_its_shared_state_in_the_resource_too) {
  test_resource memory;
  {
    const auto promise = allocate_unique<std::promise<int>>(memory);
    EXPECT_GT(memory.counts().in_use_blocks, 1u);
    promise->set_value(3);
    EXPECT_EQ(promise->get_future().get(), 3);
  }
  EXPECT_EQ(memory.counts().in_use_blocks, 0u);
}

TEST(object_pool, counts_objects_of_any_size) {
  struct page_and_more {
    std::byte bytes[100'000];
  };
  mallard::object_pool<page_and_more> pool;
  page_and_more* const object = pool.create();
  EXPECT_EQ(pool.size(), 1u);
  pool.destroy(object);
  EXPECT_EQ(pool.size(), 0u);
}

TEST(copy, strings_end_in_a_zero_and_live_in_the_resource) {
  mallard::monotonic_resource arena;
  std::string original = "abc";
  const std::string_view copy = mallard::copy_string(arena, original);
  original[0] = 'x';
  EXPECT_EQ(copy, "abc");
  EXPECT_EQ(copy.data()[3], '\0');
  EXPECT_TRUE(arena.owns(copy.data()));
  EXPECT_EQ(mallard::copy_string(arena, ""), "");
  EXPECT_EQ(mallard::copy_string(arena, std::wstring_view(L"wide")), L"wide");
}

TEST(copy, spans_are_of_values_that_may_be_changed) {
  test_resource memory;
  const std::vector<int> original{1, 2, 3};
  const std::span<int> copy = mallard::copy_span(memory, original);
  copy[0] = 7;
  EXPECT_EQ(original[0], 1);
  EXPECT_EQ(copy[2], 3);
  memory.deallocate(copy.data(), copy.size_bytes(), alignof(int));
  const std::span<double> none = mallard::copy_span(memory, std::span<const double>());
  EXPECT_TRUE(none.empty());
  memory.deallocate(none.data(), 0, alignof(double));
}

}  // namespace
