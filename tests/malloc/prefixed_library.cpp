// A plug-in with a heap of its own, by names with a prefix.
#include "mallard/malloc/prefixed.h"

#include <cstddef>

// The bytes in use of its heap while it holds a block of `bytes`.
extern "C" std::size_t use_memory(std::size_t bytes) {
  void* const p = mallard_malloc(bytes);
  const std::size_t in_use = mallard_unfreed_bytes();
  mallard_free(p);
  return in_use;
}
