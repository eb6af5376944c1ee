// The C++ library's resources, std::pmr, as a peer.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "lab/kernels/shadow.hpp"

namespace mallard::lab {

struct std_family {
  static constexpr const char* name = "std";
  using base = std::pmr::memory_resource;
  template <class T>
  using polymorphic = std::pmr::polymorphic_allocator<T>;
  using monotonic = shadow<std::pmr::monotonic_buffer_resource>;
  using multipool = shadow<std::pmr::unsynchronized_pool_resource>;
  using synchronized = std::pmr::synchronized_pool_resource;
  static base* new_delete() { return std::pmr::new_delete_resource(); }
};

}  // namespace mallard::lab
