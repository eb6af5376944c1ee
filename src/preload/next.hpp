// Purpose: the original functions, which the program would call without the recorder: those of the
// malloc that it is linked to or that is preloaded after us.
#pragma once

#include <cstddef>
#include <cstdint>

#include "preload/functions.hpp"

namespace mallard::preload {

extern void* next_functions[function_count];

// Looks all of them up; those that the program lacks stay null. The dynamic linker's allocations
// meanwhile come from a small buffer.
[[gnu::cold, gnu::noinline]] void find_next_functions() noexcept;

// The function with this name and type, or null.
template <class F>
[[gnu::always_inline]] inline F* next(function which) noexcept {
  void*& found = next_functions[static_cast<std::size_t>(which)];
  if (found == nullptr && next_functions[static_cast<std::size_t>(function::malloc)] == nullptr)
      [[unlikely]] {
    find_next_functions();
  }
  return reinterpret_cast<F*>(found);
}

// Blocks for the dynamic linker during the lookup. Returns: null afterwards.
void* early_allocate(std::size_t bytes) noexcept;
inline constexpr std::size_t early_bytes = std::size_t{16} << 10;
alignas(16) extern unsigned char early_memory[early_bytes];
inline bool is_early(const void* block) noexcept {
  return reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(early_memory) <
         early_bytes;
}

}  // namespace mallard::preload
