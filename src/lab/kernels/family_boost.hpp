// Boost.Container's resources, boost::container::pmr, as a peer.
#pragma once

// Boost's headers are not clean under our warnings.
#pragma GCC system_header

#include <boost/container/pmr/global_resource.hpp>
#include <boost/container/pmr/memory_resource.hpp>
#include <boost/container/pmr/monotonic_buffer_resource.hpp>
#include <boost/container/pmr/polymorphic_allocator.hpp>
#include <boost/container/pmr/synchronized_pool_resource.hpp>
#include <boost/container/pmr/unsynchronized_pool_resource.hpp>

#include "lab/kernels/shadow.hpp"

namespace mallard::lab {

struct boost_family {
  static constexpr const char* name = "boost";
  using base = boost::container::pmr::memory_resource;
  template <class T>
  using polymorphic = boost::container::pmr::polymorphic_allocator<T>;
  using monotonic = shadow<boost::container::pmr::monotonic_buffer_resource>;
  using multipool = shadow<boost::container::pmr::unsynchronized_pool_resource>;
  using synchronized = boost::container::pmr::synchronized_pool_resource;
  static base* new_delete() { return boost::container::pmr::new_delete_resource(); }
};

}  // namespace mallard::lab
