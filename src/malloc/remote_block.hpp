// Purpose: the content of a free block on its way back to its heap, and where a thread links these.
#pragma once

#include <cstddef>

#include "mallard/detail/threads/remote_batch.hpp"
#include "malloc/malloc_checks.hpp"
#include "malloc/region.hpp"

namespace mallard::inline v1::detail {

// Only the link: the slice's mark tells the heap and the class.
class remote_block {
 public:
  using home_type = slice_mark;
  MALLARD_ALWAYS_INLINE static remote_block* at(void* p, std::size_t) noexcept {
    return static_cast<remote_block*>(p);
  }
  MALLARD_ALWAYS_INLINE void set_next(remote_block* next) noexcept {
    link_ = checks::link(this, next);
  }
  MALLARD_ALWAYS_INLINE remote_block* next() const noexcept {
    return static_cast<remote_block*>(checks::linked(this, link_));
  }
  MALLARD_ALWAYS_INLINE void* leave() noexcept { return this; }
  // It lies in a slab, and no slab lies in a region's first slice.
  MALLARD_ALWAYS_INLINE slice_mark home() const noexcept {
    return region::of(this)->mark_at(region::index_of(this));
  }

 private:
  void* link_;
};

// The supply hands out so much for a heap.
inline constexpr std::size_t heap_bytes = 4 * slice_bytes;

struct malloc_batches : remote_batches<malloc_heap, remote_block, 64, heap_bytes> {};

}  // namespace mallard::inline v1::detail
