// Purpose: counts of the blocks that pass through a counting layer.
//
// Complexity: O(1) per block. Thread-safety: none; the owner serialises.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mallard/detail/bits.hpp"

namespace mallard::inline v1 {

// All sizes are the bytes that callers request, not what they cost.
struct allocation_counts {
  std::uint64_t allocations = 0;    // calls that returned a block
  std::uint64_t deallocations = 0;  // calls that freed one
  std::size_t in_use_blocks = 0;    // allocated and not yet freed
  std::size_t peak_blocks = 0;      // the largest in_use_blocks so far
  std::size_t in_use_bytes = 0;
  std::size_t peak_bytes = 0;
  std::uint64_t total_bytes = 0;      // of all blocks so far
  std::size_t largest_bytes = 0;      // the largest single request
  std::size_t largest_alignment = 0;  // the strictest single request

  // Effects: records the allocation of `bytes` bytes at `alignment`.
  void on_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    ++allocations;
    peak_blocks = detail::larger(peak_blocks, ++in_use_blocks);
    in_use_bytes += bytes;
    peak_bytes = detail::larger(peak_bytes, in_use_bytes);
    total_bytes += bytes;
    largest_bytes = detail::larger(largest_bytes, bytes);
    largest_alignment = detail::larger(largest_alignment, alignment);
  }

  // Effects: records that a block of `bytes` bytes was freed.
  void on_deallocate(std::size_t bytes) noexcept {
    ++deallocations;
    --in_use_blocks;
    in_use_bytes -= bytes;
  }
};

}  // namespace mallard::inline v1
