// Purpose: the functions from which the entry points of the sticky build get blocks: with a record.
#pragma once

#include "malloc/sticky/sticky_block.hpp"

namespace mallard::inline v1::detail::blocks {

using sticky::allocate;
using sticky::allocate_aligned;
using sticky::allocate_from;
using sticky::allocate_zeroed;
using sticky::reallocate;
using sticky::usable_bytes;

// A block also gets a record.
inline void* allocate_at_hand(std::size_t bytes) noexcept {
  return allocate(bytes);
}
inline void* allocate_another(std::size_t bytes) noexcept {
  return allocate(bytes);
}
constexpr void* allocate_aligned_at_hand(std::size_t, std::size_t) noexcept {
  return nullptr;
}

// The record changes with the request.
constexpr bool may_stay(const void*, std::size_t) noexcept {
  return false;
}
constexpr void* resize_at_hand(void*, std::size_t) noexcept {
  return nullptr;
}

}  // namespace mallard::inline v1::detail::blocks
