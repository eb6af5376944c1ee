// Purpose: whether a thread that was interrupted is in an operation of the heap.
//
// The functions that a program calls are known by their names, the ranges of their code by the
// symbols' sizes. An operation is open if an address of the stack lies in one of them, or if a
// frame has called one and not come back: a function whose last act is a call jumps there, and is
// on the stack no more (calloc goes on in memset). A malloc that is a library of its own is the
// heap as a whole. Functions inside the C library's malloc, memset below calloc, and the kernel's
// work for them are all below such a frame.
#pragma once

#include <cstddef>
#include <cstdint>

#include "unwind/frame_rule.hpp"

namespace mallard::density {

// Once, before the other.
bool find_heap_code() noexcept;

// Async-signal-safe.
bool is_in_heap(const unwind::frame_state& at) noexcept;

}  // namespace mallard::density
