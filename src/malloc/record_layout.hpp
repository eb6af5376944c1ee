// Purpose: the size and the place of slabs' records at a region's start.
#pragma once

#include <cstddef>

#include "mallard/detail/pages/slices.hpp"

namespace mallard::inline v1::detail {

// If the headers of slabs are not in the slabs (`slab_records.hpp`), a region has a record for each
// slice: three cache lines, for the header and a bit for each 16 bytes of the slice.
inline constexpr std::size_t slab_record_bytes = 192;
// The records begin here, behind the region's own header.
inline constexpr std::size_t slab_records_offset = std::size_t{36} << 10;

}  // namespace mallard::inline v1::detail
