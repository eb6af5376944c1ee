// Purpose: chooses the size class of a request and marks its block, for resources of many sizes.
//
// `Pools` takes and gives blocks by class: class_pools, or the heaps of many threads. Requests
// beyond the table go out of line, so that the inlined verbs stay short.
//
// No closure type may reach a function that both a program and the library have a copy of:
// compilers lay out captures in different orders, and the linker may choose either copy.
#pragma once

#include <cstddef>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/core/size_classes.hpp"
#include "mallard/detail/core/slab_layout.hpp"

namespace mallard::inline v1::detail {

// The table's entry for a request; `is_looked_up` tells whether there is one.
MALLARD_ALWAYS_INLINE size_granule granule_asked_for(std::size_t bytes,
                                                     std::size_t alignment) noexcept {
  MALLARD_ASSERT(is_power_of_two(alignment));
  return granule_of(bytes, alignment);
}

// A block of a class in the table.
template <class Pools>
MALLARD_ALWAYS_INLINE void* allocate_by_granule(Pools& pools, size_granule granule,
                                                std::size_t bytes) {
  void* const p = pools.take_small(granule);
  hand_out(p, bytes);
  return p;
}

template <class Pools>
MALLARD_ALWAYS_INLINE void deallocate_by_granule(Pools& pools, size_granule granule,
                                                 void* p) noexcept {
  MALLARD_AUDIT(pools.owns(p, granule) && "a block of another resource, or of another size");
  poison(p, class_layouts[granule].block_bytes);
  pools.give_small(p, granule);
}

// Empty requests and larger classes. `beyond_classes` serves what no class can.
template <class Pools, class Beyond>
MALLARD_BY_LEVEL void* allocate_beyond_table(Pools& pools, std::size_t bytes, std::size_t alignment,
                                             Beyond&& beyond_classes) {
  if (bytes == 0) {
    bytes = 1;
    const size_granule granule = granule_asked_for(bytes, alignment);
    if (granule.is_looked_up()) return allocate_by_granule(pools, granule, bytes);
  }
  const std::size_t request = block_request(bytes, alignment);
  if (!is_pooled(request)) return beyond_classes(bytes);
  void* const p = pools.take_large(request);
  hand_out(p, bytes);
  return p;
}

template <class Pools, class Beyond>
MALLARD_BY_LEVEL void deallocate_beyond_table(Pools& pools, void* p, std::size_t bytes,
                                              std::size_t alignment,
                                              Beyond&& beyond_classes) noexcept {
  if (bytes == 0) {
    bytes = 1;
    const size_granule granule = granule_asked_for(bytes, alignment);
    if (granule.is_looked_up()) return deallocate_by_granule(pools, granule, p);
  }
  const std::size_t request = block_request(bytes, alignment);
  if (!is_pooled(request)) return beyond_classes(p);
  MALLARD_AUDIT(pools.owns(p, class_of(request)) &&
                "a block of another resource, or of another size");
  poison(p, request);
  pools.give_large(p, request);
}

}  // namespace mallard::inline v1::detail
