// The engine's functions as a malloc under test.
#pragma once

#include "malloc/calls.hpp"
#include "malloc/engine.hpp"

namespace malloc_test {

inline constexpr malloc_calls engine_calls{
    [](std::size_t bytes) { return mallard::detail::allocate(bytes); },
    [](std::size_t bytes) { return mallard::detail::allocate_zeroed(bytes); },
    [](std::size_t bytes, std::size_t alignment) {
      return mallard::detail::allocate_aligned(bytes, alignment);
    },
    [](void* p, std::size_t bytes) { return mallard::detail::reallocate(p, bytes); },
    [](void* p) { mallard::detail::deallocate(p); },
    [](void* p) { return mallard::detail::usable_bytes(p); },
};

}  // namespace malloc_test
