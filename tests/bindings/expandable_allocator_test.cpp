#include "mallard/expandable_allocator.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <list>
#include <set>
#include <string>
#include <vector>

#include "mallard/checks/test_resource.hpp"

namespace {

using mallard::expandable_allocator;
using mallard::heap_resource;
using mallard::without;
using chain = expandable_allocator<int>::multiallocation_chain;

// Boost's `allocation_type`.
constexpr unsigned fresh = 1, forward = 2, backward = 4, shrink = 8, nothrow = 16, try_shrink = 64;

TEST(expandable_allocator, tells_the_size_it_really_got) {
  heap_resource heap;
  expandable_allocator<int> a(&heap);
  for (std::size_t n = 0; n < 1000; n += 7) {
    const auto array = a.allocate_at_least(n);
    EXPECT_GE(array.count, n);
    for (std::size_t i = 0; i < array.count; ++i) array.ptr[i] = 1;
    a.deallocate(array.ptr, n);
  }
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

TEST(expandable_allocator, a_new_array_when_there_is_nothing_to_reuse) {
  heap_resource heap;
  expandable_allocator<int> a(&heap);
  int* reuse = nullptr;
  std::size_t count = 10;
  int* const p = a.allocation_command(fresh | forward, 5, count, reuse);
  ASSERT_NE(p, nullptr);
  EXPECT_GE(count, 10u);
  EXPECT_EQ(reuse, nullptr);
  a.deallocate(p, count);
}

TEST(expandable_allocator, an_array_grows_in_place_when_it_can) {
  heap_resource heap;
  expandable_allocator<int> a(&heap);
  int* const p = a.allocate(10);
  int* reuse = p;
  std::size_t count = 1000;
  EXPECT_EQ(a.allocation_command(fresh | forward | backward, 11, count, reuse), p);
  EXPECT_EQ(reuse, p);
  EXPECT_GE(count, 1000u);
  a.deallocate(p, count);
}

TEST(expandable_allocator, shrinks_no_further_than_asked_where_any_count_would_do) {
  heap_resource heap;
  expandable_allocator<int> a(&heap);
  int* const p = a.allocate(100);
  for (const std::size_t wanted : {~std::size_t{0}, ~std::size_t{0} / 4 + 2}) {
    int* reuse = p;
    std::size_t count = wanted;
    a.allocation_command(mallard::detail::shrink_flag | nothrow, 100, count, reuse);
    EXPECT_EQ(reuse, p);
    EXPECT_GE(heap.shrinkable_to(p, 0, 1000), 100 * sizeof(int));
  }
  a.deallocate(p, 100);
}

TEST(expandable_allocator, failure_throws_or_is_null_and_changes_nothing) {
  heap_resource heap;
  expandable_allocator<int> a(&heap);
  int* const p = a.allocate(10);
  int* const wall = a.allocate(10);
  int* reuse = p;
  std::size_t count = 1000;
  EXPECT_EQ(a.allocation_command(forward | nothrow, 1000, count, reuse), nullptr);
  EXPECT_EQ(reuse, p);
  count = 1000;
  EXPECT_THROW(static_cast<void>(a.allocation_command(forward, 1000, count, reuse)),
               std::bad_alloc);
  count = ~std::size_t{0} / 2;
  EXPECT_THROW(static_cast<void>(a.allocation_command(fresh, count, count, reuse)), std::bad_alloc);
  EXPECT_THROW(static_cast<void>(a.allocate(~std::size_t{0} / 2)), std::bad_array_new_length);
  a.deallocate(p, 10);
  a.deallocate(wall, 10);
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

TEST(expandable_allocator, backward_growth_leaves_the_elements_to_the_caller) {
  heap_resource heap;
  expandable_allocator<int> a(&heap);
  int* const before = a.allocate(1000);
  int* const p = a.allocate(10);
  int* const wall = a.allocate(10);
  for (int i = 0; i < 10; ++i) p[i] = i;
  a.deallocate(before, 1000);
  int* reuse = p;
  std::size_t count = 500;
  int* const front = a.allocation_command(fresh | forward | backward, 500, count, reuse);
  EXPECT_EQ(reuse, p);
  EXPECT_LT(front, p);
  EXPECT_GE(count, 500u);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(p[i], i);
  a.deallocate(front, count);
  a.deallocate(wall, 10);
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

TEST(expandable_allocator, shrinking_in_place_and_trying_to) {
  heap_resource heap;
  expandable_allocator<int> a(&heap);
  int* reuse = a.allocate(1000);
  std::size_t count = 10;
  EXPECT_EQ(a.allocation_command(try_shrink, 1000, count, reuse), reuse);
  const std::size_t foretold = count;
  count = 10;
  EXPECT_EQ(a.allocation_command(shrink | nothrow, 1000, count, reuse), reuse);
  EXPECT_EQ(count, foretold);
  EXPECT_LT(count, 20u);
  a.deallocate(reuse, count);
  reuse = nullptr;
  EXPECT_EQ(a.allocation_command(shrink | nothrow, 1000, count, reuse), nullptr);
}

TEST(expandable_allocator, of_version_1_gives_nodes_of_slabs_and_arrays_real_sizes) {
  heap_resource heap;
  using version_1 = expandable_allocator<int, heap_resource, without::version_2>;
  {
    std::list<int, version_1> list(1000, 7, version_1(&heap));
    EXPECT_EQ(heap.stats().array_blocks, 0u);
    EXPECT_EQ(heap.stats().in_use_bytes, 1000u * (24 + mallard::detail::redzone_bytes));
    std::vector<int, version_1> vector{version_1(&heap)};
    for (int i = 0; i < 1000; ++i) vector.push_back(i);
    EXPECT_EQ(heap.stats().array_blocks, 1u);
  }
  version_1 a(&heap);
  for (std::size_t n = 0; n < 5; ++n) {
    const auto array = a.allocate_at_least(n);
    EXPECT_EQ(array.count == 1, n <= 1);
    a.deallocate(array.ptr, array.count);
  }
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

TEST(expandable_allocator, a_failed_burst_leaves_the_nodes_of_a_chain_alone) {
  mallard::test_resource upstream;
  heap_resource heap(&upstream);
  expandable_allocator<int> a(&heap);
  chain nodes;
  a.allocate_individual(10, nodes);
  const std::size_t before = heap.stats().in_use_bytes;
  upstream.fail_after(1);
  EXPECT_THROW(a.allocate_individual(1'000'000, nodes), std::bad_alloc);
  upstream.never_fail();
  EXPECT_EQ(nodes.size(), 10u);
  EXPECT_EQ(heap.stats().in_use_bytes, before);
  a.deallocate_individual(nodes);
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

TEST(expandable_allocator, capabilities_can_be_switched_off) {
  heap_resource heap;
  expandable_allocator<int, heap_resource,
                       without::forward | without::backward | without::received_size>
      a(&heap);
  static_assert(decltype(a)::version::value == 2);
  static_assert(expandable_allocator<int, heap_resource, without::version_2>::version::value == 1);
  int* reuse = a.allocate(10);
  std::size_t count = 13;
  int* const old = reuse;
  int* const p = a.allocation_command(fresh | forward | backward, 11, count, reuse);
  EXPECT_NE(p, old);
  EXPECT_EQ(reuse, nullptr);
  EXPECT_EQ(count, 13u);
  a.deallocate(old, 10);
  a.deallocate(p, 13);
}

TEST(expandable_allocator, bursts_of_nodes_and_empty_chains) {
  mallard::test_resource upstream;
  heap_resource heap(&upstream);
  expandable_allocator<int> a(&heap);
  chain nodes;
  a.deallocate_individual(nodes);
  a.allocate_individual(0, nodes);
  EXPECT_TRUE(nodes.empty());
  a.allocate_individual(100, nodes);
  a.allocate_individual(100, nodes);
  EXPECT_EQ(nodes.size(), 200u);
  int* const one = nodes.pop_front();
  *one = 7;
  a.deallocate_one(one);
  a.deallocate_individual(nodes);
  EXPECT_TRUE(nodes.empty());
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
  upstream.fail_after(1);
  EXPECT_THROW(a.allocate_individual(1'000'000, nodes), std::bad_alloc);
  EXPECT_TRUE(nodes.empty());
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

TEST(node_chain, is_a_list_that_knows_its_ends) {
  std::uint64_t words[10][2];
  const auto node = [&](std::size_t i) { return reinterpret_cast<int*>(words[i]); };
  const auto order = [&](chain& c) {
    std::string out;
    std::size_t count = 0;
    for (auto it = c.begin(); it != c.end() && count < 20; ++it, ++count) {
      for (std::size_t i = 0; i < 10; ++i) {
        if (&*it == node(i)) out += static_cast<char>('0' + i);
      }
    }
    EXPECT_EQ(count, c.size());
    return out;
  };
  chain c;
  EXPECT_EQ(order(c), "");
  c.push_back(node(1));
  c.push_front(node(0));
  c.push_back(node(2));
  EXPECT_EQ(order(c), "012");
  c.insert_after(c.begin(), node(3));
  EXPECT_EQ(order(c), "0312");
  chain d;
  for (std::size_t i = 4; i < 9; ++i) d.push_back(node(i));
  auto fifth = d.begin();
  auto seventh = d.begin();
  std::advance(seventh, 3);
  c.splice_after(c.last(), d, fifth, seventh, 3);
  EXPECT_EQ(order(c), "0312567");
  EXPECT_EQ(order(d), "48");
  c.splice_after(c.before_begin(), d);
  EXPECT_EQ(order(c), "480312567");
  EXPECT_TRUE(d.empty());
  d.push_back(node(9));
  c.splice_after(c.last(), d, d.before_begin(), d.last(), 1);
  EXPECT_EQ(order(c), "4803125679");
  EXPECT_EQ(&*c.last(), node(9));
  chain moved(std::move(c));
  EXPECT_EQ(moved.pop_front(), node(4));
  const auto ends = moved.extract_data();
  EXPECT_EQ(ends.first, node(8));
  EXPECT_EQ(ends.second, node(9));
  EXPECT_TRUE(moved.empty());
}

TEST(expandable_allocator, is_an_allocator_for_std_containers_too) {
  heap_resource heap;
  {
    std::vector<int, expandable_allocator<int>> v(&heap);
    for (int i = 0; i < 10'000; ++i) v.push_back(i);
    std::set<int, std::less<>, expandable_allocator<int>> s(&heap);
    for (int i : v) s.insert(i * 7919 % 10'007);
    std::list<std::string, expandable_allocator<std::string>> l(&heap);
    l.assign(100, std::string(100, 'x'));
    EXPECT_EQ(v[9'999], 9'999);
    EXPECT_EQ(s.size(), 10'000u);
  }
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

}  // namespace
