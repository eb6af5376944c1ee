// An allocator's own figures about its memory.
#pragma once

#include <cstdint>

namespace mallard::lab {

struct memory_account {
  std::uint64_t in_use = 0;  // bytes that the allocator holds from its heap
  std::uint64_t held = 0;    // bytes that the heap holds from the system
};

}  // namespace mallard::lab
