// Purpose: the units in which memory is handed out: slices of regions.
#pragma once

#include <cstddef>

namespace mallard::inline v1::detail {

inline constexpr std::size_t slice_bytes = std::size_t{16} << 10;
inline constexpr std::size_t region_bytes = std::size_t{64} << 20;
inline constexpr std::size_t slices_per_region = region_bytes / slice_bytes;
inline constexpr std::size_t slices_per_word = 64;
inline constexpr std::size_t region_words = slices_per_region / slices_per_word;

}  // namespace mallard::inline v1::detail
