// Our resources: the only place where the lab names them.
#pragma once

#include <memory_resource>

#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/synchronized_multipool.hpp"

namespace mallard::lab {

struct mallard_family {
  static constexpr const char* name = "mallard";
  using base = std::pmr::memory_resource;
  template <class T>
  using polymorphic = std::pmr::polymorphic_allocator<T>;
  using monotonic = monotonic_resource;
  using multipool = multipool_resource;
  using synchronized = synchronized_multipool_resource;
};

}  // namespace mallard::lab
