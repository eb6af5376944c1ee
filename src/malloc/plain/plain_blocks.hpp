// Purpose: the functions from which the entry points of C and C++ get blocks. In the plain build
// and the hardened one they are the engine's.
#pragma once

#include "malloc/engine.hpp"
#include "malloc/user_heap.hpp"

namespace mallard::inline v1::detail::blocks {

using detail::allocate;
using detail::allocate_aligned;
using detail::allocate_aligned_at_hand;
using detail::allocate_at_hand;
using detail::allocate_from;
using detail::allocate_zeroed;
using detail::may_stay;
using detail::reallocate;
using detail::resize_at_hand;
using detail::usable_bytes;

// When there was none at hand.
inline void* allocate_another(std::size_t bytes) noexcept {
  return allocate_slow(bytes);
}

}  // namespace mallard::inline v1::detail::blocks
