// Purpose: where a slab_set gets its slabs from, as two functions, so that the engine itself
// neither throws nor knows of memory resources.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail {

class slab_set;
struct slab_pool;

// The help that a set has when it does not get a slab.
struct MALLARD_API slab_rescue {
  slab_set& set;
  slab_pool& pool;
  unsigned layout_index;
  bool is_needed = true;  // else it is all right if there is none

  bool operator()() const noexcept;
};

struct slab_source {
  // Memory for a slab, aligned to its size. When there is none, `rescue` is called, and the result
  // is null; or, if the rescue failed too, it may be an exception.
  void* (*take)(void* context, std::size_t bytes, const slab_rescue& rescue);
  void (*give)(void* context, void* p, std::size_t bytes) noexcept;
  // Whether memory costs something before it is touched. Null: it does not.
  bool (*pays_for_memory)(void* context) noexcept = nullptr;
};

// The same for a resource as upstream: all do but the page source, which defines this.
MALLARD_API bool pays_for_memory(const std::pmr::memory_resource& upstream) noexcept;

// The context is a `std::pmr::memory_resource`.
MALLARD_API extern const slab_source resource_source;

}  // namespace mallard::inline v1::detail
