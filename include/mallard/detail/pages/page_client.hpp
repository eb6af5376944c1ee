// Purpose: tells the supply of slices about its client: the lock, and what else a region keeps.
//
// An engine that keeps more there, as the malloc does, defines MALLARD_PAGE_CLIENT as the file that
// declares these names instead.
#pragma once

#ifdef MALLARD_PAGE_CLIENT
#include MALLARD_PAGE_CLIENT
#else

#include <cstddef>
#include <mutex>

#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/pages/region_pages.hpp"

namespace mallard::inline v1::detail {

using page_lock = std::mutex;

struct region : region_pages {
  static region* of(const void* p) noexcept {
    return reinterpret_cast<region*>(start_of_region(p));
  }
};

inline constexpr std::size_t region_header_slices = divide_up(sizeof(region), slice_bytes);

struct page_client {
  // Bytes needed at a region's start while so many of its slices are usable.
  static constexpr std::size_t header_bytes(std::size_t) noexcept { return sizeof(region); }
  // Bytes of that per slice; 0: none.
  static constexpr std::size_t record_bytes = 0;
  // At the end of a region, never usable.
  static constexpr std::size_t guard_bytes() noexcept { return 0; }

  // A region was mapped and is usable up to `end`, then more of it is, then it goes. False when
  // there is no memory for the client's records.
  static bool add_region(region& r, std::size_t) noexcept {
    begin_leak_scan(&r, region_bytes);
    return true;
  }
  static bool extend_region(region&, std::size_t, std::size_t) noexcept { return true; }
  static void remove_region(region& r) noexcept {
    unpoison(&r, r.reserved_slices * slice_bytes);
    end_leak_scan(&r, region_bytes);
  }
  // A mapping is about to go.
  static void unmapping(void* p, std::size_t bytes) noexcept {
    unpoison(p, bytes);
    end_leak_scan(p, bytes);
  }
  // Free slices have no memory any more.
  static void purged(void*, std::size_t) noexcept {}
  // Slices have come back.
  static void forget(region&, std::size_t, std::size_t) noexcept {}
};

}  // namespace mallard::inline v1::detail

#endif
