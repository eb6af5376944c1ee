// A malloc as a test sees it: the process's own by its names, or the engine behind them.
#pragma once

#include <cstddef>

namespace malloc_test {

struct malloc_calls {
  void* (*allocate)(std::size_t bytes);
  void* (*allocate_zeroed)(std::size_t bytes);
  void* (*allocate_aligned)(std::size_t bytes, std::size_t alignment);
  // `p` is not null and `bytes` is not 0.
  void* (*reallocate)(void* p, std::size_t bytes);
  void (*deallocate)(void* p);
  std::size_t (*usable_bytes)(void* p);
};

}  // namespace malloc_test
