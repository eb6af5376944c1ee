// Purpose: which size class serves a request, and what AddressSanitizer is told; the same for every
// resource of many sizes.
//
// `Pools` takes and gives blocks by class: class_pools, or the heaps of many threads. The halves
// for requests beyond the table are called out of line, so that the inlined ones stay short.
#pragma once

#include <bit>
#include <cstddef>

#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/core/size_classes.hpp"
#include "mallard/detail/core/slab_layout.hpp"

namespace mallard::inline v1::detail {

// A block of a class that is looked up; for all others, what `beyond_table()` returns.
template <class Pools, class Beyond>
MALLARD_ALWAYS_INLINE void* allocate_by_class(Pools& pools, std::size_t bytes,
                                              std::size_t alignment, Beyond&& beyond_table) {
  MALLARD_ASSERT(std::has_single_bit(alignment));
  const size_granule granule = granule_of(bytes, alignment);
  if (!granule.is_looked_up()) [[unlikely]] {
    return beyond_table();
  }
  void* const p = pools.take_small(granule);
  hand_out(p, bytes);
  return p;
}

template <class Pools, class Beyond>
MALLARD_ALWAYS_INLINE void deallocate_by_class(Pools& pools, void* p, std::size_t bytes,
                                               std::size_t alignment,
                                               Beyond&& beyond_table) noexcept {
  const size_granule granule = granule_of(bytes, alignment);
  if (!granule.is_looked_up()) [[unlikely]] {
    return beyond_table();
  }
  MALLARD_ASSERT(pools.owns(p, granule) && "a block of another resource, or of another size");
  poison(p, class_layouts[granule].block_bytes);
  pools.give_small(p, granule);
}

// Empty requests and larger classes; for what no class is for, `beyond_classes(bytes)`.
template <class Pools, class Beyond>
void* allocate_beyond_table(Pools& pools, std::size_t bytes, std::size_t alignment,
                            Beyond&& beyond_classes) {
  if (bytes == 0) {
    return allocate_by_class(pools, 1, alignment, [&] {
      return allocate_beyond_table(pools, 1, alignment, beyond_classes);
    });
  }
  const std::size_t request = block_request(bytes, alignment);
  if (!is_pooled(request)) return beyond_classes(bytes);
  void* const p = pools.take_large(request);
  hand_out(p, bytes);
  return p;
}

template <class Pools, class Beyond>
void deallocate_beyond_table(Pools& pools, void* p, std::size_t bytes, std::size_t alignment,
                             Beyond&& beyond_classes) noexcept {
  if (bytes == 0) {
    return deallocate_by_class(pools, p, 1, alignment, [&] {
      deallocate_beyond_table(pools, p, 1, alignment, beyond_classes);
    });
  }
  const std::size_t request = block_request(bytes, alignment);
  if (!is_pooled(request)) return beyond_classes(p);
  MALLARD_ASSERT(pools.owns(p, class_of(request)) &&
                 "a block of another resource, or of another size");
  poison(p, request);
  pools.give_large(p, request);
}

}  // namespace mallard::inline v1::detail
