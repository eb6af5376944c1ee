// Purpose: tells whether an interrupted thread is in a heap operation.
//
// The heap's functions are known by name, the ranges of their code by the symbols' sizes. An
// operation is open if an address on the stack lies in one of them, or if a frame has called one
// that has not returned. The second rule covers tail calls: a function that ends by a jump is no
// longer on the stack (calloc goes on in memset). A malloc in a library of its own counts as a
// whole. Functions inside the C library's malloc, memset below calloc, and the kernel's work for
// them are all below such a frame.
#pragma once

#include <cstddef>
#include <cstdint>

#include "unwind/frame_rule.hpp"

namespace mallard::density {

// Call it once, before is_in_heap().
bool find_heap_code() noexcept;

// Async-signal-safe.
bool is_in_heap(const unwind::frame_state& at) noexcept;

}  // namespace mallard::density
