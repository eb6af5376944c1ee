// Purpose: the size of a std container's nodes, for the options of an adaptive pool.
//
//   using index = std::map<int, double>;
//   mallard::adaptive_pool_resource pool{{.block_bytes = mallard::node_bytes<index>,
//                                         .alignment = mallard::node_alignment<index>}};
//   auto prices = mallard::bind<index>(pool);
//   prices[7] = 1.5;
//   assert(pool.stats().oversize_blocks == 0);  // every node comes from a slab
//
// Complexity and thread-safety: compile time only.
//
// The node types are those of libstdc++ and libc++; with other libraries lists have none.
#pragma once

#include <cstddef>
#include <forward_list>
#include <list>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

namespace detail {

// The node of a set or map, from the type of its node handles.
template <class Handle>
struct node_in;
#ifdef _LIBCPP_VERSION
template <template <class, class, template <class, class> class> class Handle, class Node,
          class Allocator, template <class, class> class Specifics>
struct node_in<Handle<Node, Allocator, Specifics>> {
  using type = Node;
};
#else
template <template <class, class, class> class Handle, class Key, class Value, class Allocator>
struct node_in<Handle<Key, Value, Allocator>> {
  using type = typename Allocator::value_type;
};
#endif

template <class Container>
struct node_of {
  using type = typename node_in<typename Container::node_type>::type;
};
#ifdef _LIBCPP_VERSION
template <class T, class Allocator>
struct node_of<std::list<T, Allocator>> {
  using type = std::__list_node<T, void*>;
};
template <class T, class Allocator>
struct node_of<std::forward_list<T, Allocator>> {
  using type = std::__forward_list_node<T, void*>;
};
#else
#ifdef _GLIBCXX_DEBUG
namespace std_nodes = std::__cxx1998;
#else
namespace std_nodes = std;
#endif
template <class T, class Allocator>
struct node_of<std::list<T, Allocator>> {
  using type = std_nodes::_List_node<T>;
};
template <class T, class Allocator>
struct node_of<std::forward_list<T, Allocator>> {
  using type = std_nodes::_Fwd_list_node<T>;
};
#endif

}  // namespace detail

// In bytes. The bucket table, which unordered containers allocate beside their nodes, is larger.
template <class Container>
inline constexpr std::size_t node_bytes = sizeof(typename detail::node_of<Container>::type);
template <class Container>
inline constexpr std::size_t node_alignment = alignof(typename detail::node_of<Container>::type);

}  // namespace mallard::inline v1
