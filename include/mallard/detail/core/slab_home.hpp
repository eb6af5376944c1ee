// Purpose: finds a slab's header, with the bitmap behind it: at the slab's start.
//
// An engine whose slabs all lie in regions of its own may keep the headers elsewhere. It defines
// MALLARD_SLAB_HOME as the file that declares these names instead.
#pragma once

#ifdef MALLARD_SLAB_HOME
#include MALLARD_SLAB_HOME
#else

#include <cstddef>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail {

struct slab;

// Whether the header takes room from the slots.
inline constexpr bool is_header_in_slab = true;

// The header of the slab that starts here.
inline slab* header_of(void* start) noexcept {
  return static_cast<slab*>(start);
}
inline std::byte* start_of(slab* s) noexcept {
  return reinterpret_cast<std::byte*>(s);
}
// The header of the slab that a block is in.
MALLARD_ALWAYS_INLINE slab* home_of(void* p, std::size_t slab_bytes) noexcept {
  return aligned_start<slab>(p, slab_bytes);
}

}  // namespace mallard::inline v1::detail

#endif
