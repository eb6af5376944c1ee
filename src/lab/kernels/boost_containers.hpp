// Boost's containers and extended allocators.
#pragma once

// Boost's headers are not clean under our warnings.
#pragma GCC system_header

#include <boost/container/adaptive_pool.hpp>
#include <boost/container/allocator.hpp>
#include <boost/container/detail/dlmalloc.hpp>
#include <boost/container/list.hpp>
#include <boost/container/node_allocator.hpp>
#include <boost/container/stable_vector.hpp>
#include <boost/container/vector.hpp>
#include <boost/pool/pool_alloc.hpp>

namespace mallard::lab {

// The column of Boost's containers with the allocators of an arena.
template <class Arena>
struct boost_column {
  using arena = Arena;
  template <class T, class Allocator>
  using vector = boost::container::vector<T, Allocator>;
  template <class T, class Allocator>
  using list = boost::container::list<T, Allocator>;
  template <class T, class Allocator>
  using stable_vector = boost::container::stable_vector<T, Allocator>;
};

}  // namespace mallard::lab
