#include "mallard/memory/offset_ptr.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mallard/allocator.hpp"
#include "mallard/memory/offset_allocator.hpp"
#include "mallard/memory/shareable.hpp"
#include "mallard/multipool.hpp"
#include "mallard/object_pool.hpp"
#include "mallard/resource_ref.hpp"

namespace {

using mallard::is_shareable_v;
using mallard::offset_allocator;
using mallard::offset_ptr;

struct base {
  int b = 1;
};
struct derived : base {
  int d = 2;
};

// [pointer.traits], and what allocators ask of a pointer.
using traits = std::pointer_traits<offset_ptr<int>>;
static_assert(std::is_same_v<traits::element_type, int>);
static_assert(std::is_same_v<traits::difference_type, std::ptrdiff_t>);
static_assert(std::is_same_v<traits::rebind<char>, offset_ptr<char>>);
static_assert(std::random_access_iterator<offset_ptr<int>>);
static_assert(std::totally_ordered<offset_ptr<int>>);
static_assert(std::convertible_to<offset_ptr<int>, offset_ptr<const int>>);
static_assert(std::convertible_to<offset_ptr<int>, offset_ptr<void>>);
static_assert(std::convertible_to<offset_ptr<derived>, offset_ptr<base>>);
static_assert(!std::convertible_to<offset_ptr<const int>, offset_ptr<int>>);
static_assert(!std::constructible_from<offset_ptr<int>, offset_ptr<const int>>);
static_assert(!std::convertible_to<offset_ptr<void>, offset_ptr<int>>);
static_assert(std::constructible_from<offset_ptr<int>, offset_ptr<void>>);
static_assert(std::constructible_from<offset_ptr<derived>, offset_ptr<base>>);
static_assert(sizeof(offset_ptr<int>) == sizeof(void*));

TEST(offset_ptr, points_as_a_pointer_does) {
  int numbers[] = {1, 2, 3, 4, 5};
  offset_ptr<int> p = numbers;
  EXPECT_EQ(*p, 1);
  EXPECT_EQ(p[4], 5);
  EXPECT_EQ(*++p, 2);
  EXPECT_EQ(*p++, 2);
  EXPECT_EQ(*(p + 1), 4);
  EXPECT_EQ(*(1 + p), 4);
  EXPECT_EQ(p - offset_ptr<int>(numbers), 2);
  EXPECT_EQ(*(p -= 2), 1);
  EXPECT_EQ(std::to_address(p), numbers);
  EXPECT_EQ(traits::pointer_to(numbers[3]), offset_ptr<int>(numbers + 3));
  EXPECT_LT(p, p + 1);
  EXPECT_TRUE(p == numbers);
  std::reverse(p, p + 5);
  EXPECT_EQ(numbers[0], 5);
  derived d;
  const offset_ptr<base> b = offset_ptr<derived>(&d);
  EXPECT_EQ(b->b, 1);
  EXPECT_EQ(static_cast<offset_ptr<derived>>(b)->d, 2);
  const offset_ptr<void> v = b;
  EXPECT_EQ(static_cast<offset_ptr<base>>(v).get(), &d);
}

TEST(offset_ptr, null_is_null_and_itself_is_not) {
  offset_ptr<int> p;
  EXPECT_FALSE(p);
  EXPECT_EQ(p, nullptr);
  EXPECT_EQ(p.get(), nullptr);
  const offset_ptr<int> copy = p;
  EXPECT_EQ(copy, nullptr);
  offset_ptr<void> self;
  self = offset_ptr<void>(&self);
  EXPECT_TRUE(self);
  EXPECT_EQ(self.get(), &self);
  p = nullptr;
  EXPECT_TRUE(p == nullptr && nullptr == p);
}

TEST(offset_ptr, copies_point_to_the_same_and_moved_memory_to_its_own) {
  struct node {
    offset_ptr<node> next;
    int value;
  };
  alignas(node) std::byte here[2 * sizeof(node)];
  alignas(node) std::byte there[2 * sizeof(node)];
  auto* const nodes = reinterpret_cast<node*>(here);
  ::new (nodes) node{nullptr, 1};
  ::new (nodes + 1) node{nullptr, 2};
  nodes[0].next = nodes + 1;
  const offset_ptr<node> copy = nodes[0].next;
  EXPECT_EQ(copy.get(), nodes + 1);
  std::memcpy(there, here, sizeof here);  // as if it were mapped there
  const auto* const elsewhere = reinterpret_cast<const node*>(there);
  EXPECT_EQ(elsewhere->next.get(), elsewhere + 1);
  EXPECT_EQ(elsewhere->next->value, 2);
}

struct with_pointer {
  int* p;
};

}  // namespace

template <>
inline constexpr bool mallard::is_shareable_v<with_pointer> = false;

namespace {

template <class T>
using offset_vector = std::vector<T, offset_allocator<T>>;

static_assert(is_shareable_v<int> && is_shareable_v<std::array<int, 3>> && is_shareable_v<int[3]>);
static_assert(is_shareable_v<std::pair<int, double>> && is_shareable_v<std::optional<int>>);
static_assert(is_shareable_v<offset_ptr<int>> && is_shareable_v<offset_vector<int>>);
static_assert(is_shareable_v<offset_vector<offset_vector<int>>>);
static_assert(!is_shareable_v<int*> && !is_shareable_v<int base::*>);
static_assert(!is_shareable_v<std::pair<int, char*>> && !is_shareable_v<char* [3]>);
static_assert(!is_shareable_v<std::vector<int>> && !is_shareable_v<std::pmr::vector<int>>);
static_assert(!is_shareable_v<std::string> && !is_shareable_v<offset_vector<std::string>>);
static_assert(!is_shareable_v<std::string_view> && !is_shareable_v<std::span<int>>);
static_assert(!is_shareable_v<std::unique_ptr<int>> && !is_shareable_v<std::shared_ptr<int>>);
static_assert(!is_shareable_v<std::function<void()>>);
static_assert(!is_shareable_v<std::array<std::string, 2>> && !is_shareable_v<std::array<int*, 3>>);
static_assert(!is_shareable_v<mallard::object_pool<int>> && !is_shareable_v<mallard::resource_ref>);
static_assert(!is_shareable_v<mallard::multipool_resource>);
static_assert(!is_shareable_v<std::pmr::memory_resource>);
static_assert(!is_shareable_v<mallard::allocator<int, mallard::multipool_resource>>);
static_assert(!is_shareable_v<std::pmr::polymorphic_allocator<int>>);
static_assert(!is_shareable_v<std::tuple<int&>> && is_shareable_v<std::tuple<int, const char>>);
static_assert(!is_shareable_v<const with_pointer> &&
              !is_shareable_v<std::array<const with_pointer, 2>> &&
              !is_shareable_v<std::pair<volatile with_pointer, int>>);
static_assert(!is_shareable_v<with_pointer> && !is_shareable_v<std::optional<with_pointer>>);

}  // namespace
