// Questions that tests ask of a block's address, and of its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mallard_test {

inline bool is_aligned(const void* p, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(p) % alignment == 0;
}

inline std::byte* bytes_of(void* p) {
  return static_cast<std::byte*>(p);
}

// By the C library's loop: tests are hardly optimised, and blocks may have megabytes.
inline bool all_bytes_are(const void* p, std::size_t bytes, unsigned char value) {
  const auto* const at = static_cast<const unsigned char*>(p);
  return bytes == 0 || (at[0] == value && std::memcmp(at, at + 1, bytes - 1) == 0);
}
inline bool all_bytes_are(const void* p, std::size_t from, std::size_t to, unsigned char value) {
  return from >= to || all_bytes_are(static_cast<const unsigned char*>(p) + from, to - from, value);
}

}  // namespace mallard_test
