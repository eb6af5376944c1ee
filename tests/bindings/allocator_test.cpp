#include "mallard/allocator.hpp"

#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <memory_resource>
#include <scoped_allocator>
#include <string>
#include <type_traits>
#include <vector>

#include "mallard/checks/counting_resource.hpp"
#include "mallard/mallard.hpp"

namespace {

using mallard::counting_resource;
template <class T>
using counted = mallard::allocator<T, counting_resource>;
using traits = std::allocator_traits<counted<int>>;

static_assert(!traits::propagate_on_container_copy_assignment::value);
static_assert(!traits::propagate_on_container_move_assignment::value);
static_assert(!traits::propagate_on_container_swap::value);
static_assert(!traits::is_always_equal::value);
static_assert(std::same_as<traits::rebind_alloc<long>, counted<long>>);
static_assert(std::is_nothrow_copy_constructible_v<counted<int>>);
static_assert(std::convertible_to<counting_resource*, counted<int>>);
static_assert(std::convertible_to<counted<int>, counted<long>>);
static_assert(sizeof(counted<int>) == sizeof(void*));

TEST(allocator, passes_size_and_alignment_on) {
  struct alignas(64) wide {
    char bytes[64];
  };
  counting_resource memory;
  counted<wide> allocator(&memory);
  wide* const p = allocator.allocate(3);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 64, 0u);
  EXPECT_EQ(memory.counts().in_use_bytes, 3 * sizeof(wide));
  EXPECT_EQ(memory.counts().largest_alignment, 64u);
  allocator.deallocate(p, 3);
  EXPECT_EQ(memory.counts().in_use_blocks, 0u);
}

TEST(allocator, refuses_counts_whose_size_overflows) {
  counting_resource memory;
  counted<long> allocator(&memory);
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const std::size_t n : {most, most / 2, most / sizeof(long) + 1}) {
    EXPECT_THROW((void)allocator.allocate(n), std::bad_array_new_length);
  }
  EXPECT_EQ(memory.counts().allocations, 0u);
}

TEST(allocator, compares_by_resource_across_value_types) {
  counting_resource a;
  counting_resource b;
  EXPECT_EQ(counted<int>(&a), counted<long>(&a));
  EXPECT_NE(counted<int>(&a), counted<int>(&b));
  EXPECT_EQ(counted<int>(counted<long>(&a)).resource(), &a);
}

TEST(allocator, is_deduced_from_a_resource) {
  mallard::monotonic_resource arena;
  mallard::allocator any{&arena};
  static_assert(
      std::same_as<decltype(any), mallard::allocator<std::byte, mallard::monotonic_resource>>);
  std::vector<int, mallard::allocator<int, mallard::monotonic_resource>> numbers(any);
  numbers.push_back(1);
  EXPECT_EQ(numbers.get_allocator().resource(), &arena);
}

TEST(allocator, copying_a_container_copies_into_the_same_resource) {
  counting_resource a;
  std::vector<int, counted<int>> original(100, 7, &a);
  const auto copy = original;
  EXPECT_EQ(copy.get_allocator().resource(), &a);
  EXPECT_EQ(a.counts().in_use_blocks, 2u);
}

TEST(allocator, assignment_between_resources_keeps_each_containers_own) {
  counting_resource a;
  counting_resource b;
  std::vector<int, counted<int>> in_a(100, 7, &a);
  std::vector<int, counted<int>> in_b(&b);
  in_b = in_a;
  EXPECT_EQ(in_b.get_allocator().resource(), &b);
  EXPECT_EQ(b.counts().in_use_bytes, 100 * sizeof(int));
  in_b = std::vector<int, counted<int>>(50, 8, &a);  // moves element by element
  EXPECT_EQ(in_b.get_allocator().resource(), &b);
  EXPECT_EQ(in_b, (std::vector<int, counted<int>>(50, 8, &b)));
}

TEST(allocator, moving_within_a_resource_moves_the_memory) {
  counting_resource a;
  std::vector<int, counted<int>> from(100, 7, &a);
  const int* const data = from.data();
  std::vector<int, counted<int>> to(&a);
  to = std::move(from);
  EXPECT_EQ(to.data(), data);
  EXPECT_EQ(a.counts().allocations, 1u);
}

TEST(allocator, swapping_within_a_resource_moves_nothing) {
  counting_resource a;
  std::list<int, counted<int>> one({1, 2}, &a);
  std::list<int, counted<int>> two({3}, &a);
  const auto before = a.counts().allocations;
  one.swap(two);
  EXPECT_EQ(one.size(), 1u);
  EXPECT_EQ(two.size(), 2u);
  EXPECT_EQ(a.counts().allocations, before);
}

TEST(allocator, scoped_allocator_adaptor_hands_the_resource_on) {
  using string = std::basic_string<char, std::char_traits<char>, counted<char>>;
  counting_resource a;
  std::vector<string, std::scoped_allocator_adaptor<counted<string>>> names(&a);
  names.emplace_back(100, 'x');
  EXPECT_EQ(names.front().get_allocator().resource(), &a);
  EXPECT_GE(a.counts().in_use_bytes, 100u);
}

TEST(allocator, binds_to_any_type_with_the_two_members) {
  struct minimal {
    void* allocate(std::size_t bytes, std::size_t alignment) {
      ++calls;
      return ::operator new(bytes, std::align_val_t(alignment));
    }
    void deallocate(void* p, std::size_t, std::size_t alignment) {
      ::operator delete(p, std::align_val_t(alignment));
    }
    int calls = 0;
  };
  minimal memory;
  std::vector<int, mallard::allocator<int, minimal>> numbers(10, 7, &memory);
  EXPECT_EQ(memory.calls, 1);
}

TEST(allocator, allocate_shared_lives_in_the_resource) {
  counting_resource a;
  auto shared = std::allocate_shared<int>(counted<int>(&a), 42);
  EXPECT_EQ(*shared, 42);
  EXPECT_EQ(a.counts().in_use_blocks, 1u);
  shared.reset();
  EXPECT_EQ(a.counts().in_use_blocks, 0u);
}

// By reference as by pointer, also where a container converts it.
TEST(allocator, takes_the_resource_by_reference) {
  mallard::multipool_resource pool;
  using ints = std::vector<int, mallard::allocator<int, mallard::multipool_resource>>;
  const ints numbers(100u, 7, pool);
  EXPECT_EQ(numbers.get_allocator().resource(), &pool);
  const ints other{pool};
  EXPECT_EQ(other.get_allocator(), numbers.get_allocator());
  const mallard::allocator deduced{pool};
  static_assert(std::is_same_v<decltype(deduced),
                               const mallard::allocator<std::byte, mallard::multipool_resource>>);
  mallard::allocator copy{deduced};
  static_assert(
      std::is_same_v<decltype(copy), mallard::allocator<std::byte, mallard::multipool_resource>>);
  const mallard::typed::map<int, int, mallard::multipool_resource> map(pool);
  EXPECT_EQ(map.get_allocator().resource(), &pool);
  mallard::buffered_resource<64> derived;
  const mallard::typed::vector<int, mallard::monotonic_resource> in_base(derived);
  EXPECT_EQ(in_base.get_allocator().resource(), &derived);
  mallard::heap_resource heap;
  EXPECT_EQ(mallard::expandable_allocator<int>(heap).resource(), &heap);
  mallard::adaptive_pool_resource nodes;
  EXPECT_EQ(mallard::adaptive_pool_allocator<int>(nodes).resource(), &nodes);
  EXPECT_EQ(mallard::node_allocator<int>(nodes).resource(), &nodes);
}

}  // namespace
