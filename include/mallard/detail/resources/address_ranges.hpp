// Purpose: large ranges of addresses, whose pages get memory when they are first touched, for what
// grows in place. A few that were given back are kept, for heaps that come and go. Thread-safe.
#pragma once

#include <cstddef>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {

struct address_range {
  std::byte* begin = nullptr;  // aligned to a page; null: the system refused
  std::size_t bytes = 0;
};

// AddressSanitizer must mark every byte of it.
#ifdef MALLARD_MARKS_MEMORY
inline constexpr std::size_t standard_range_bytes = std::size_t{16} << 20;
#else
inline constexpr std::size_t standard_range_bytes = std::size_t{1} << 30;
#endif

// The first so many bytes of a range have small pages, and a few at its end, so that a small heap
// takes little memory; what is between is a mapping of its own.
inline constexpr std::size_t small_pages_bytes = std::size_t{4} << 20;

// A range is several mappings, and the system allows a process only so many (65,530 by default), so
// that not every block can have a range.
inline constexpr std::size_t ranges_for_blocks = 4096;

enum class range_use { segment, block };

// At least `bytes`; a standard range if that is enough and available. None for a block while so
// many ranges are in use in the process.
MALLARD_API address_range take_range(std::size_t bytes, range_use use) noexcept;

// Gives the ranges kept for reuse back to the system.
MALLARD_API void drop_kept_ranges() noexcept;

// As many bytes, and what is behind them in a huge page that they begin: it has memory, too.
inline std::size_t to_end_of_huge_page(const void* begin, std::size_t bytes) noexcept {
  return round_up(address_of(begin) + bytes, os::huge_page_bytes) - address_of(begin);
}

// Gives all beyond the first 256 KiB back to the system, or all of it. Only the first
// `in_use_bytes`, what is behind them in a huge page, and the last page have memory.
MALLARD_API void give_range(address_range range, std::size_t in_use_bytes) noexcept;
// Gives all of it back to the system, whatever has become of its mappings.
MALLARD_API void drop_range(address_range range) noexcept;

}  // namespace mallard::inline v1::detail
