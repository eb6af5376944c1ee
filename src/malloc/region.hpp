// Purpose: the map from any block to what it is: regions of addresses, cut into slices that are
// marked with the heap or space they belong to.
//
// A region begins at a multiple of its size, so that masks and one load find the mark of a block's
// slice. Marks are written under a lock, before the first block of the slice is handed out and
// after the last one came back; they are read without one.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/slab_home.hpp"
#include "mallard/detail/os/pages.hpp"
#include "mallard/detail/pages/region_pages.hpp"
#include "malloc/record_layout.hpp"
#include "malloc/slice_mark.hpp"

namespace mallard::inline v1::detail {

// Lies at the start of a region and takes the region's first slices.
struct region : region_pages {
  // Bytes of a region that is one huge block; else 0. Its table of pages is unused then.
  std::size_t huge_mapped;
  std::size_t huge_offset;  // of the block from here
  std::size_t huge_spare;   // what counts of a kept mapping as more than its block needs
  std::size_t huge_apart;   // so much of its beginning is unlike the rest to the system
  bool huge_is_fresh;       // only its owner has written to it
  // Links of a user heap's huge blocks, guarded by its lock.
  region* huge_next;
  region* huge_prev;

  std::array<std::atomic<std::uintptr_t>, slices_per_region> marks;

  static region* of(const void* p) noexcept {
    return reinterpret_cast<region*>(start_of_region(p));
  }
  // The region of a huge block. If aligned to a region or more, the page before it.
  static region* of_huge(const void* p) noexcept {
    if (address_of(p) % region_bytes != 0) return of(p);
    return reinterpret_cast<region*>(address_of(p) - os::page_size());
  }
  // The mark of a huge block, found by its address only: bytes before a block may be overwritten.
  static std::atomic<std::uintptr_t>& huge_mark_of(const void* p) noexcept {
    region* const r = of_huge(p);
    return r->marks[(address_of(p) - address_of(r)) / slice_bytes];
  }
  MALLARD_ALWAYS_INLINE slice_mark mark_at(std::size_t index) const noexcept {
    return slice_mark(marks[index].load(std::memory_order_relaxed));
  }
  void set_marks(std::size_t index, std::size_t slices, slice_mark mark) noexcept {
    for (std::size_t i = 0; i < slices; ++i) {
      marks[index + i].store(mark.word(), std::memory_order_relaxed);
    }
  }
};

// The bytes that a region needs at its start while so many of its slices are usable.
constexpr std::size_t region_header_bytes(std::size_t slices) noexcept {
  if constexpr (is_header_in_slab) {
    return sizeof(region);
  } else {
    static_assert(sizeof(region) <= slab_records_offset);
    return slab_records_offset + slices * slab_record_bytes;
  }
}
// Whole pages of 64 KiB if there is more than the header of the region itself.
inline constexpr std::size_t region_header_slices =
    is_header_in_slab
        ? divide_up(sizeof(region), slice_bytes)
        : round_up(divide_up(region_header_bytes(slices_per_region), slice_bytes), std::size_t{4});

// Requires a block of this malloc.
MALLARD_ALWAYS_INLINE slice_mark mark_of(const void* p) noexcept {
  // A region's first slice holds its header; only a huge block can begin there.
  if (region::index_of(p) == 0) [[unlikely]] {
    return slice_mark(region::huge_mark_of(p).load(std::memory_order_relaxed));
  }
  return region::of(p)->mark_at(region::index_of(p));
}

}  // namespace mallard::inline v1::detail
