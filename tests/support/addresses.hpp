// Questions that tests ask of a block's address.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mallard_test {

inline bool is_aligned(const void* p, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(p) % alignment == 0;
}

inline std::byte* bytes_of(void* p) {
  return static_cast<std::byte*>(p);
}

}  // namespace mallard_test
