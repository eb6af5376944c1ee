// Purpose: for assertions: where the library has memory, so that a header can be read there without
// asking the system whether it can.
//
// A block that is given back wrongly may lie anywhere, and the header of its slab may be no memory
// at all. The system knows, but a system call for each block makes a checked program many times as
// slow. So a table of fixed size remembers the address of a slab or a heap until that is given
// back; later addresses take the places of earlier ones.
// The table is the same at every level of assertions. A library of level 2 notes what it makes.
// With a library of another level, the program's checks note what they have found, and the library
// strikes off what it gives back as soon as there is anything in the table.
// Thread-safe: those who add and look have a block in use there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/atomic.hpp"
#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail::known_memory {

inline constexpr unsigned log2_places = 13;
inline constinit std::array<atomic<std::uintptr_t>, std::size_t{1} << log2_places> places{};
inline constinit atomic<bool> is_used{false};

inline atomic<std::uintptr_t>& place_of(const void* p) noexcept {
  return places[(address_of(p) >> 6) * 0x9E3779B97F4A7C15u >> (63 - log2_places) >> 1];
}

inline bool has(const void* p) noexcept {
  return is_used.load(order::relaxed) && place_of(p).load(order::relaxed) == address_of(p);
}
// By a check that has found memory there.
inline void note(const void* p) noexcept {
  is_used.store(true, order::relaxed);
  place_of(p).store(address_of(p), order::relaxed);
}
// By what makes the memory.
inline void add([[maybe_unused]] const void* p) noexcept {
#if MALLARD_ASSERTIONS >= 2
  note(p);
#endif
}
inline void remove(const void* p) noexcept {
  if (has(p)) place_of(p).store(0, order::relaxed);
}
inline void clear() noexcept {
  if (!is_used.load(order::relaxed)) return;
  for (auto& place : places) place.store(0, order::relaxed);
}

}  // namespace mallard::inline v1::detail::known_memory
