// Purpose: how an entry point names itself and its caller.
#pragma once

#include <cstdint>

#include "unwind/frame_rule.hpp"

#define MALLARD_ENTRY extern "C" [[gnu::visibility("default")]]

namespace mallard::preload {

#if defined(__x86_64__)
inline constexpr std::uint64_t words_above_frame_pointer = 16;
#else
inline constexpr std::uint64_t words_above_frame_pointer = 0;
#endif

}  // namespace mallard::preload

// The caller of the function in whose body this is written; it must have a frame pointer.
#define MALLARD_CALLER()                                               \
  ::mallard::unwind::frame_state {                                     \
    reinterpret_cast<std::uint64_t>(__builtin_return_address(0)),      \
        reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) +  \
            ::mallard::preload::words_above_frame_pointer,             \
        *static_cast<const std::uint64_t*>(__builtin_frame_address(0)) \
  }
