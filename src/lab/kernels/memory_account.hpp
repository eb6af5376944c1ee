// An allocator's own figures of its memory.
#pragma once

#include <cstdint>

namespace mallard::lab {

struct memory_account {
  std::uint64_t in_use = 0;  // bytes that the allocator has got, and not given back to its heap
  std::uint64_t held = 0;    // bytes that the heap has from the system
};

}  // namespace mallard::lab
