// Purpose: for assertions: where the library has memory, so that a header can be read there without
// asking the system whether it can.
//
// What is given back wrongly may lie anywhere, and what looks like its slab may be no memory at
// all. The system knows, but a call of it for each block makes a checked program many times as
// slow. So the address of a slab or a heap is remembered from when it is made, or found, until it
// is given back; a table of fixed size, in which later ones take the places of earlier ones, is
// enough. Thread-safe: an entry is made and looked for by those who have a block in use there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/atomic.hpp"
#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail::known_memory {

#ifdef NDEBUG
inline constexpr unsigned log2_places = 0;  // a library without assertions remembers nothing
#else
inline constexpr unsigned log2_places = 13;
#endif
inline constexpr bool is_used = log2_places != 0;
inline constinit std::array<atomic<std::uintptr_t>, std::size_t{1} << log2_places> places{};

inline atomic<std::uintptr_t>& place_of(const void* p) noexcept {
  return places[(address_of(p) >> 6) * 0x9E3779B97F4A7C15u >> (63 - log2_places) >> 1];
}

inline bool has(const void* p) noexcept {
  return is_used && place_of(p).load(order::relaxed) == address_of(p);
}
inline void add(const void* p) noexcept {
  if (is_used) place_of(p).store(address_of(p), order::relaxed);
}
inline void remove(const void* p) noexcept {
  if (has(p)) place_of(p).store(0, order::relaxed);
}
inline void clear() noexcept {
  for (auto& place : places) {
    if (is_used) place.store(0, order::relaxed);
  }
}

}  // namespace mallard::inline v1::detail::known_memory
