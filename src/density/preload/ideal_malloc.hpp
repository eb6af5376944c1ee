// Purpose: a malloc that is no malloc for use: what a program gains on it is the bound of what any
// allocator can gain.
//
// It does the least that can be done, and forgets what costs others time: memory is never given
// back, no thread waits for another, nothing is checked. There are two, since none is the best for
// all:
//
//   bump    a block is the next bytes of the thread's chunk, and a free does nothing
//   reuse   a block is the one of its size class that the thread freed last, else the next bytes of
//           a chunk of that class; what one thread frees too much of, others take in batches
//
// All memory is one range of addresses, reserved once, in huge pages where the system has them. In
// front of a bumped block stands its size; the class of any other is that of its granule. When
// bumped memory is a quarter of what the machine has free, or the range is used up, later blocks
// are reused.
#pragma once

#include <cstddef>

namespace mallard::density {

// Null: there is no memory, or the alignment is none.
void* ideal_allocate(std::size_t bytes, std::size_t alignment = 16) noexcept;
void* ideal_allocate_zeroed(std::size_t count, std::size_t bytes) noexcept;
void* ideal_reallocate(void* block, std::size_t bytes) noexcept;
void ideal_free(void* block) noexcept;
std::size_t ideal_usable(const void* block) noexcept;

}  // namespace mallard::density
