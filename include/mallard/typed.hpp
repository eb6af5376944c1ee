// Purpose: names for std's containers bound by type, as std::pmr has them for binding by base.
//
//   mallard::multipool_resource pool;
//   mallard::typed::vector<int, mallard::multipool_resource> numbers(&pool);
//   auto names = mallard::bind<std::map<int, int>>(pool);  // the resource's type is deduced
//   mallard::bound<std::deque<int>, mallard::multipool_resource> queue(&pool);
//   numbers.push_back(1);
//
// Complexity and thread-safety: as the resource.
#pragma once

#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "mallard/allocator.hpp"

namespace mallard::inline v1 {

namespace detail {

template <class Arg, class Old, class R>
struct rebound_argument {
  using type = Arg;
};
template <class Old, class R>
struct rebound_argument<Old, Old, R> {
  using type = allocator<typename Old::value_type, R>;
};

template <class Container, class R>
struct rebound;
template <template <class...> class Container, class... Args, class R>
struct rebound<Container<Args...>, R> {
  using old = typename Container<Args...>::allocator_type;
  using type = Container<typename rebound_argument<Args, old, R>::type...>;
};

}  // namespace detail

// A std container or string with its allocator replaced by one that is bound to R. Its elements
// stay as they were.
template <class Container, class R>
using bound = typename detail::rebound<Container, R>::type;

// Returns: such a container, constructed from the arguments and the resource, which must outlive
// it.
template <class Container, bindable_resource R, class... Args>
[[nodiscard]] bound<Container, R> bind(R& resource MALLARD_LIFETIMEBOUND, Args&&... args) {
  using made = bound<Container, R>;
  return made(std::forward<Args>(args)..., typename made::allocator_type(&resource));
}

namespace typed {

template <class Char, class R, class Traits = std::char_traits<Char>>
using basic_string = std::basic_string<Char, Traits, allocator<Char, R>>;
template <class R>
using string = basic_string<char, R>;
template <class T, class R>
using vector = std::vector<T, allocator<T, R>>;
template <class T, class R>
using deque = std::deque<T, allocator<T, R>>;
template <class T, class R>
using list = std::list<T, allocator<T, R>>;
template <class T, class R>
using forward_list = std::forward_list<T, allocator<T, R>>;
template <class Key, class R, class Compare = std::less<Key>>
using set = std::set<Key, Compare, allocator<Key, R>>;
template <class Key, class R, class Compare = std::less<Key>>
using multiset = std::multiset<Key, Compare, allocator<Key, R>>;
template <class Key, class T, class R, class Compare = std::less<Key>>
using map = std::map<Key, T, Compare, allocator<std::pair<const Key, T>, R>>;
template <class Key, class T, class R, class Compare = std::less<Key>>
using multimap = std::multimap<Key, T, Compare, allocator<std::pair<const Key, T>, R>>;
template <class Key, class R, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
using unordered_set = std::unordered_set<Key, Hash, Equal, allocator<Key, R>>;
template <class Key, class R, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
using unordered_multiset = std::unordered_multiset<Key, Hash, Equal, allocator<Key, R>>;
template <class Key, class T, class R, class Hash = std::hash<Key>,
          class Equal = std::equal_to<Key>>
using unordered_map =
    std::unordered_map<Key, T, Hash, Equal, allocator<std::pair<const Key, T>, R>>;
template <class Key, class T, class R, class Hash = std::hash<Key>,
          class Equal = std::equal_to<Key>>
using unordered_multimap =
    std::unordered_multimap<Key, T, Hash, Equal, allocator<std::pair<const Key, T>, R>>;

}  // namespace typed
}  // namespace mallard::inline v1
