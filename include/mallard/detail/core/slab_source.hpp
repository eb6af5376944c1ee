// Purpose: the functions through which a slab_set gets its slabs, so that the engine itself neither
// throws nor knows of memory resources.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail {

class slab_set;
struct slab_pool;

// A source that has no memory calls this: the set may still find free slots.
struct MALLARD_API slab_rescue {
  slab_set& set;
  slab_pool& pool;
  unsigned layout_index;
  bool is_needed = true;  // false: it is all right if there are none

  bool operator()() const noexcept;
};

struct slab_source {
  // Memory for a slab, aligned to its size. A source that has none calls `rescue` and returns null;
  // if the rescue fails too, it may throw.
  void* (*take)(void* context, std::size_t bytes, const slab_rescue& rescue);
  void (*give)(void* context, void* p, std::size_t bytes) noexcept;
  // Whether memory costs something before it is touched. Null: it does not.
  bool (*pays_for_memory)(void* context) noexcept = nullptr;
};

// The same for a resource as upstream: all do, except the page source, which defines this function.
MALLARD_API bool pays_for_memory(const std::pmr::memory_resource& upstream) noexcept;

// The context is a `std::pmr::memory_resource`.
MALLARD_API extern const slab_source resource_source;

}  // namespace mallard::inline v1::detail
