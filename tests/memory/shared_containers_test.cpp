// Containers that lie in shared memory with all that they own, used by two processes in turn.
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#ifdef _LIBCPP_VERSION
#include <list>
#include <map>
#include <set>
#include <unordered_map>
#endif
#ifdef MALLARD_HAVE_BOOST_CONTAINER
#include <boost/container/deque.hpp>
#include <boost/container/flat_map.hpp>
#include <boost/container/list.hpp>
#include <boost/container/map.hpp>
#include <boost/container/set.hpp>
#include <boost/container/string.hpp>
#include <boost/container/vector.hpp>
#if __has_include(<boost/interprocess/offset_ptr.hpp>)
#include <boost/interprocess/offset_ptr.hpp>
#define MALLARD_HAVE_BOOST_INTERPROCESS
#endif
#endif

#include "mallard/memory/offset_allocator.hpp"
#include "mallard/memory/shared.hpp"
#include "support/expect_passed.hpp"
#include "support/require.hpp"

namespace {

using mallard::offset_allocator;
using mallard::shared_resource;
using mallard_test::require;

// Filled here, read and filled again through another mapping in another process, read here.
template <class Container>
void pass_to_and_fro(const std::function<void(Container&, int)>& add,
                     const std::function<bool(const Container&, int)>& has) {
  shared_resource shared({.limit_bytes = std::size_t{16} << 20});
  Container* const here = shared.make<Container>("container", shared);
  for (int i = 0; i < 500; ++i) add(*here, i);
  mallard_test::expect_passed([&] {
    shared_resource elsewhere = shared_resource::attach(shared.descriptor());
    Container* const there = elsewhere.find<Container>("container");
    require(static_cast<void*>(there) != here, "at the same address");
    for (int i = 0; i < 500; ++i) require(has(*there, i), "not found: ", i);
    for (int i = 500; i < 1000; ++i) add(*there, i);
  });
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(has(*here, i)) << i;
  const Container copy(*here);
  EXPECT_TRUE(has(copy, 999));
  EXPECT_TRUE(shared.destroy<Container>("container"));
  shared.verify();
}

template <class Container>
void pass_sequence() {
  pass_to_and_fro<Container>(
      [](Container& c, int i) { c.push_back(i); },
      [](const Container& c, int i) { return *std::next(c.begin(), i) == i; });
}
template <class Container>
void pass_set() {
  pass_to_and_fro<Container>(
      [](Container& c, int i) { c.insert(i * 7919 % 1009); },
      [](const Container& c, int i) { return c.count(i * 7919 % 1009) == 1; });
}
template <class Container>
void pass_map() {
  pass_to_and_fro<Container>([](Container& c, int i) { c[i * 7919 % 1009] = i; },
                             [](const Container& c, int i) {
                               const auto at = c.find(i * 7919 % 1009);
                               return at != c.end() && at->second == i;
                             });
}

TEST(shared_containers, vector_of_std) {
  pass_sequence<std::vector<int, offset_allocator<int>>>();
}

#ifndef _LIBCPP_VERSION  // libc++ 19's casts between pointers that have no cast
TEST(shared_containers, deque_of_std) {
  pass_sequence<std::deque<int, offset_allocator<int>>>();
}
#endif

TEST(shared_containers, vectors_in_a_vector) {
  using inner = std::vector<int, offset_allocator<int>>;
  using outer = std::vector<inner, offset_allocator<inner>>;
  pass_to_and_fro<outer>(
      [](outer& c, int i) {
        c.emplace_back(static_cast<std::size_t>(i % 50), i, c.get_allocator());
      },
      [](const outer& c, int i) {
        const inner& in = c[static_cast<std::size_t>(i)];
        return in.size() == static_cast<std::size_t>(i % 50) && (in.empty() || in.back() == i);
      });
}

#ifdef _LIBCPP_VERSION
TEST(shared_containers, all_of_libcxx) {
  using entry = offset_allocator<std::pair<const int, int>>;
  pass_sequence<std::list<int, offset_allocator<int>>>();
  pass_set<std::set<int, std::less<int>, offset_allocator<int>>>();
  pass_map<std::map<int, int, std::less<int>, entry>>();
  pass_map<std::unordered_map<int, int, std::hash<int>, std::equal_to<int>, entry>>();
}
#endif

#ifdef MALLARD_HAVE_BOOST_CONTAINER
namespace bc = boost::container;

TEST(shared_containers, all_of_boost) {
  using entry = offset_allocator<std::pair<const int, int>>;
  pass_sequence<bc::vector<int, offset_allocator<int>>>();
  pass_sequence<bc::deque<int, offset_allocator<int>>>();
  pass_sequence<bc::list<int, offset_allocator<int>>>();
  pass_set<bc::set<int, std::less<int>, offset_allocator<int>>>();
  pass_map<bc::map<int, int, std::less<int>, entry>>();
  pass_map<bc::flat_map<int, int, std::less<int>, offset_allocator<std::pair<int, int>>>>();
}

TEST(shared_containers, strings_of_boost) {
  using string = bc::basic_string<char, std::char_traits<char>, offset_allocator<char>>;
  using strings = bc::vector<string, offset_allocator<string>>;
  pass_to_and_fro<strings>(
      [](strings& c, int i) {
        c.emplace_back(static_cast<std::size_t>(i % 100), static_cast<char>('a' + i % 26),
                       c.get_allocator());
      },
      [](const strings& c, int i) {
        const string& s = c[static_cast<std::size_t>(i)];
        return s.size() == static_cast<std::size_t>(i % 100) &&
               (s.empty() || s.back() == 'a' + i % 26);
      });
}
#endif

#ifdef MALLARD_HAVE_BOOST_INTERPROCESS
// Boost's relative pointers are as good in our memory as our own.
TEST(shared_containers, boost_s_offset_ptr) {
  struct node {
    boost::interprocess::offset_ptr<node> next;
    int value = 0;
  };
  shared_resource shared;
  node* const first = shared.make<node>("first");
  first->next = shared.make<node>("second");
  first->next->value = 5;
  const shared_resource again = shared_resource::attach(shared.descriptor());
  const node* const there = const_cast<shared_resource&>(again).find<node>("first");
  EXPECT_NE(there, first);
  EXPECT_EQ(there->next->value, 5);
}
#endif

}  // namespace
