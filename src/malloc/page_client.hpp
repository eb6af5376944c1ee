// Purpose: tells the supply of slices about the malloc: its lock, and what is at a region's start.
#pragma once

#include <cstddef>

#include "malloc/lock.hpp"
#include "malloc/malloc_checks.hpp"
#include "malloc/region.hpp"

namespace mallard::inline v1::detail {

using page_lock = futex_lock;

struct page_client {
  static constexpr std::size_t header_bytes(std::size_t slices) noexcept {
    return region_header_bytes(slices);
  }
  static constexpr std::size_t record_bytes = is_header_in_slab ? 0 : slab_record_bytes;
  static std::size_t guard_bytes() noexcept { return checks::guard_bytes(); }

  static bool add_region(region& r, std::size_t end) noexcept { return checks::add_region(r, end); }
  static bool extend_region(region& r, std::size_t begin, std::size_t end) noexcept {
    return checks::extend_region(r, begin, end);
  }
  static void remove_region(region& r) noexcept { checks::remove_region(r); }
  static void unmapping(void*, std::size_t) noexcept {}
  static void purged(void* p, std::size_t bytes) noexcept { checks::purged(p, bytes); }
  static void forget(region& r, std::size_t index, std::size_t slices) noexcept {
    r.set_marks(index, slices, slice_mark());
  }
};

}  // namespace mallard::inline v1::detail
