// Purpose: for assertions: remembers where the library has memory, so that they can read a header
// there without asking the system.
//
// A block that is given back wrongly may lie anywhere, and the header of its supposed slab may be
// no memory at all. The system knows, but a system call per block makes a checked program many
// times slower. So a table of fixed size remembers the addresses of slabs and heaps until they are
// given back; a later address replaces an earlier one in the same place. The table is the same at
// every level of assertions: a library of level 2 notes what it makes; with another library the
// program's checks note what they find, and the library removes what it gives back once the table
// has anything. Thread-safe: whoever adds or looks up has a block in use there.
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
// For a check that has found memory there.
inline void note(const void* p) noexcept {
  is_used.store(true, order::relaxed);
  place_of(p).store(address_of(p), order::relaxed);
}
// For the code that makes the memory.
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
