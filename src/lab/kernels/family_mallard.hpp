// Our own resources: the one place where the lab names them.
#pragma once

#include <memory_resource>

#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#if __has_include("mallard/synchronized_multipool.hpp")
#include "mallard/synchronized_multipool.hpp"
#define MALLARD_LAB_SYNCHRONIZED
#endif

namespace mallard::lab {

struct mallard_family {
  static constexpr const char* name = "mallard";
  using base = std::pmr::memory_resource;
  template <class T>
  using polymorphic = std::pmr::polymorphic_allocator<T>;
  using monotonic = monotonic_resource;
  using multipool = multipool_resource;
#ifdef MALLARD_LAB_SYNCHRONIZED
  using synchronized = synchronized_multipool_resource;
#endif
};

}  // namespace mallard::lab
