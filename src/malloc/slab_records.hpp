// Purpose: malloc's slabs have their headers side by side at their region's start, one per slice.
//
// All slabs begin at multiples of 16 KiB. Headers in them would share a few sets of the processor's
// caches, take a slot each, and lie on a page of their own each, while the slots may be on pages
// that nobody touches. A record is found from a block's address as quickly as the slab's start: by
// masks, and a multiplication by three.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "malloc/record_layout.hpp"

namespace mallard::inline v1::detail {

struct slab;

inline constexpr bool is_header_in_slab = false;

// The header of the slab that a block is in.
MALLARD_ALWAYS_INLINE slab* home_of(void* p, std::size_t slab_bytes) noexcept {
  constexpr std::size_t third = slab_record_bytes / 3;
  const std::uintptr_t thirds =
      address_of(p) / (slice_bytes / third) & (region_bytes - slab_bytes) / (slice_bytes / third);
  const std::uintptr_t region_begin = address_of(p) & ~(region_bytes - 1);
  return reinterpret_cast<slab*>(region_begin + thirds * 3 + slab_records_offset);
}

inline slab* header_of(void* start) noexcept {
  return home_of(start, slice_bytes);
}

inline std::byte* start_of(slab* s) noexcept {
  const std::uintptr_t region_begin = address_of(s) & ~(region_bytes - 1);
  const std::size_t index =
      (address_of(s) - region_begin - slab_records_offset) / slab_record_bytes;
  return reinterpret_cast<std::byte*>(region_begin + index * slice_bytes);
}

}  // namespace mallard::inline v1::detail
