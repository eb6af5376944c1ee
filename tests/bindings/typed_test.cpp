#include "mallard/typed.hpp"

#include <gtest/gtest.h>

#include <forward_list>
#include <list>
#include <map>
#include <memory_resource>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "mallard/adaptive_pool.hpp"
#include "mallard/buffered.hpp"
#include "mallard/checks/counting_resource.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/node_bytes.hpp"

namespace {

using mallard::monotonic_resource;
using mallard::multipool_resource;
namespace typed = mallard::typed;

TEST(typed, every_container_of_std_binds_to_a_resource_by_its_type) {
  multipool_resource pool;
  using R = multipool_resource;
  typed::string<R> text("too long for the buffer in the string itself", &pool);
  typed::vector<int, R> vector({1, 2}, &pool);
  typed::deque<int, R> deque({1, 2}, &pool);
  typed::list<int, R> list({1, 2}, &pool);
  typed::forward_list<int, R> forward_list({1, 2}, &pool);
  typed::set<int, R> set(&pool);
  typed::multiset<int, R> multiset(&pool);
  typed::map<int, int, R> map(&pool);
  typed::multimap<int, int, R> multimap(&pool);
  typed::unordered_set<int, R> unordered_set(&pool);
  typed::unordered_multiset<int, R> unordered_multiset(&pool);
  typed::unordered_map<int, int, R> unordered_map(&pool);
  typed::unordered_multimap<int, int, R> unordered_multimap(&pool);
  set.insert(1);
  multiset.insert(1);
  map[1] = 2;
  multimap.emplace(1, 2);
  unordered_set.insert(1);
  unordered_multiset.insert(1);
  unordered_map[1] = 2;
  unordered_multimap.emplace(1, 2);
  EXPECT_GT(pool.stats().in_use_bytes, text.size() + 12 * sizeof(int));
  EXPECT_EQ(vector.get_allocator().resource(), &pool);
}

TEST(typed, bind_deduces_the_resource_and_replaces_the_allocator) {
  multipool_resource pool;
  auto numbers = mallard::bind<std::vector<int>>(pool, 10u, 7);
  static_assert(std::is_same_v<decltype(numbers), typed::vector<int, multipool_resource>>);
  auto names = mallard::bind<std::map<int, double, std::greater<>>>(pool);
  static_assert(
      std::is_same_v<decltype(names), typed::map<int, double, multipool_resource, std::greater<>>>);
  auto text = mallard::bind<std::wstring>(pool);
  static_assert(std::is_same_v<decltype(text), typed::basic_string<wchar_t, multipool_resource>>);
  EXPECT_EQ(numbers.size(), 10u);
  EXPECT_EQ(numbers.get_allocator().resource(), &pool);
  // The resource is no value, though its address could be one.
  EXPECT_EQ(mallard::bind<std::vector<bool>>(pool, 10u).size(), 10u);
  EXPECT_EQ(mallard::bind<std::vector<void*>>(pool, 10u).get_allocator().resource(), &pool);
}

TEST(typed, a_buffered_resource_binds_wherever_a_monotonic_one_does) {
  mallard::buffered_resource<1024> buffer;
  monotonic_resource arena;
  typed::vector<int, monotonic_resource> a({1, 2, 3}, &buffer);
  const typed::vector<int, monotonic_resource> b({4}, &arena);
  a.insert(a.end(), b.begin(), b.end());
  EXPECT_EQ(a.size(), 4u);
  EXPECT_GE(buffer.stats().in_use_bytes, 3 * sizeof(int));
  EXPECT_EQ(buffer.stats().overflowed, 0u);
  const auto bound = mallard::bind<std::vector<int>>(buffer, 5u);
  EXPECT_EQ(bound.get_allocator().resource(), &buffer);
}

// Fills the container and looks at what single blocks it asked for.
template <class Container, class Insert>
void expect_nodes_of(const char* what, Insert insert) {
  mallard::counting_resource seen;
  mallard::bound<Container, mallard::counting_resource> container(&seen);
  const std::size_t before = seen.counts().in_use_bytes;
  for (int i = 0; i < 3; ++i) insert(container, i);
  // The first insertion into an unordered container may allocate buckets too; the last does not.
  const std::size_t then = seen.counts().in_use_bytes;
  const std::size_t blocks = seen.counts().in_use_blocks;
  insert(container, 3);
  ASSERT_EQ(seen.counts().in_use_blocks, blocks + 1) << what;
  EXPECT_EQ(seen.counts().in_use_bytes - then, mallard::node_bytes<Container>) << what;
  EXPECT_GE(then, before) << what;
}

TEST(node_bytes, are_what_the_containers_ask_for) {
  const auto insert = [](auto& c, int i) { c.insert(i); };
  const auto emplace = [](auto& c, int i) {
    c.emplace(i, typename std::remove_reference_t<decltype(c)>::mapped_type());
  };
  expect_nodes_of<std::set<int>>("set<int>", insert);
  expect_nodes_of<std::multiset<long>>("multiset<long>", insert);
  expect_nodes_of<std::map<int, int>>("map<int, int>", emplace);
  expect_nodes_of<std::map<int, std::string>>("map<int, string>", emplace);
  expect_nodes_of<std::map<char, char>>("map<char, char>", emplace);
  expect_nodes_of<std::unordered_set<int>>("unordered_set<int>", insert);
  expect_nodes_of<std::unordered_map<int, double>>("unordered_map<int, double>", emplace);
  expect_nodes_of<std::unordered_multimap<long, char>>("unordered_multimap<long, char>", emplace);
  expect_nodes_of<std::list<char>>("list<char>", [](auto& c, int) { c.emplace_back(); });
  expect_nodes_of<std::list<double>>("list<double>", [](auto& c, int) { c.emplace_back(); });
  expect_nodes_of<std::forward_list<int>>("forward_list<int>",
                                          [](auto& c, int) { c.emplace_front(); });
}

TEST(node_bytes, make_a_pool_that_fits) {
  using index = std::map<int, std::pair<double, double>>;
  mallard::adaptive_pool_resource pool{
      {.block_bytes = mallard::node_bytes<index>, .alignment = mallard::node_alignment<index>}};
  auto values = mallard::bind<index>(pool);
  for (int i = 0; i < 1000; ++i) values[i] = {i, i};
  EXPECT_EQ(pool.stats().oversize_blocks, 0u);
  EXPECT_EQ(pool.stats().in_use_blocks, 1000u);
}

}  // namespace
