// Purpose: the records of a region's pages, at its start: which slices are free, and which of these
// still have memory. A region begins at a multiple of its size: a mask finds it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/pages/slices.hpp"

namespace mallard::inline v1::detail {

struct region;

// Guarded by the lock of `slice_supply`. The addresses of the first `reserved_slices` are ours, and
// the first `ready_slices` of these are usable; those behind are not marked as free.
struct region_pages {
  region* next;
  std::size_t ordinal;  // grows along the list
  std::size_t reserved_slices;
  std::size_t ready_slices;
  std::size_t huge_from;  // from this slice on some are marked for huge pages; 0: none is
  std::size_t free_slices;
  std::array<std::uint64_t, region_words> free;
  std::array<std::uint64_t, region_words> dirty;  // free, and not given back to the system
  // A bit for each word that has a bit set.
  std::uint64_t free_words;
  std::uint64_t dirty_words;

  static std::uintptr_t start_of_region(const void* p) noexcept {
    return address_of(p) & ~(region_bytes - 1);
  }
  static std::size_t index_of(const void* p) noexcept {
    return address_of(p) / slice_bytes % slices_per_region;
  }
  std::byte* slice(std::size_t index) noexcept {
    return reinterpret_cast<std::byte*>(this) + index * slice_bytes;
  }
};

}  // namespace mallard::inline v1::detail
