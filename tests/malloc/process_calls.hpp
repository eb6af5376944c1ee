// The process's malloc, by its names, as a malloc under test. Requires Mallard's to be it.
#pragma once

#include <malloc.h>

#include <cstdlib>

#include "malloc/calls.hpp"

namespace malloc_test {

inline constexpr malloc_calls process_calls{
    [](std::size_t bytes) { return std::malloc(bytes); },
    [](std::size_t bytes) { return std::calloc(1, bytes); },
    [](std::size_t bytes, std::size_t alignment) {
      void* p = nullptr;
      return posix_memalign(&p, alignment, bytes) == 0 ? p : nullptr;
    },
    [](void* p, std::size_t bytes) { return std::realloc(p, bytes); },
    [](void* p) { std::free(p); },
    [](void* p) { return malloc_usable_size(p); },
};

}  // namespace malloc_test
