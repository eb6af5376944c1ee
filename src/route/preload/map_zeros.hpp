// Purpose: addresses whose pages come when they are touched.
#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace mallard::route {

// Null: there are none.
inline void* map_zeros(std::size_t bytes, int protection = PROT_READ | PROT_WRITE) noexcept {
  void* const memory =
      mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace mallard::route
