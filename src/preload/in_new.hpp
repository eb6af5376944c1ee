// Purpose: recognises the malloc that a throwing operator new calls for itself. An exception may
// leave the operator, so no flag could be reset afterwards; the recognised call resets it instead.
// The state is one word of each thread. 0: no such operator is running, or its first try failed and
// later calls count for themselves.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mallard::preload {

inline constexpr std::size_t taken_in_new = 1;  // after the recognised call
inline constexpr std::size_t aligned_in_new = SIZE_MAX;

// operator new(0) asks for one byte.
inline constexpr std::size_t malloc_in_new(std::size_t bytes) noexcept {
  return bytes == 0 ? 2 : bytes + 1;
}

inline void* taken_by_new(std::size_t& in_new, void* block) noexcept {
  in_new = block != nullptr ? taken_in_new : 0;
  return block;
}

}  // namespace mallard::preload
