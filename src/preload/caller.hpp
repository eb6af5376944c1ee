// Purpose: lets an entry point name itself and its caller.
#pragma once

#include <cstdint>

#include "unwind/frame_rule.hpp"

#define MALLARD_ENTRY extern "C" [[gnu::visibility("default")]]

// The stack pointer of the function that called the one with this macro in its body.
#if defined(__x86_64__)
#define MALLARD_CALLER_SP() (reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) + 16)
#elif defined(__clang__)
#error "clang does not say on this machine where a frame ends: compile the recorder with gcc."
#else
#define MALLARD_CALLER_SP() reinterpret_cast<std::uint64_t>(__builtin_dwarf_cfa())
#endif

// The frame of that caller; the function must have a frame pointer.
#define MALLARD_CALLER()                                                               \
  ::mallard::unwind::frame_state {                                                     \
    reinterpret_cast<std::uint64_t>(__builtin_return_address(0)), MALLARD_CALLER_SP(), \
        *static_cast<const std::uint64_t*>(__builtin_frame_address(0))                 \
  }
