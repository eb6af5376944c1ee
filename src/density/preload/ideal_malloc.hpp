// Purpose: a malloc that is unfit for use, and whose gain is a bound of any allocator's gain.
//
// It does as little as possible: it never returns memory, checks nothing, and no thread waits for
// another. There are two kinds, because neither is the best for all programs:
//
//   bump    a block is the next bytes of the thread's chunk, and a chunk is used anew when none of
//           its blocks lives, as an arena is
//   reuse   a block is the one of its size class that the thread freed last, otherwise the next
//           bytes of a chunk of that class; other threads take a thread's surplus in batches
//
// All memory is one range of addresses, reserved once, in huge pages if available. A bumped block
// has its size in front of it; the class of any other block is that of its granule. When bumped
// memory reaches a quarter of the machine's free memory, or the range is used up, later blocks are
// reused.
#pragma once

#include <cstddef>

namespace mallard::density {

// Returns: null without memory, or for an invalid alignment.
void* ideal_allocate(std::size_t bytes, std::size_t alignment = 16) noexcept;
void* ideal_allocate_zeroed(std::size_t count, std::size_t bytes) noexcept;
void* ideal_reallocate(void* block, std::size_t bytes) noexcept;
void ideal_free(void* block) noexcept;
std::size_t ideal_usable(const void* block) noexcept;

}  // namespace mallard::density
