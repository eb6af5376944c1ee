// Purpose: an operator new that throws calls malloc for itself: which call that is. An exception
// may leave it, so no flag could be reset; the call that was meant does it. One word of each
// thread holds the answer; 0: no such operator is under way, or it failed once and what comes now
// counts for itself.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mallard::preload {

inline constexpr std::size_t taken_in_new = 1;  // by the call that was meant
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
