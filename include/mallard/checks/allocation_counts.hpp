// What a counting layer knows about the blocks that pass through it.
//
// Complexity: O(1) per block. Thread-safety: none; the owner serialises.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mallard::inline v1 {

// All sizes are the bytes the caller asked for, not what they cost.
struct allocation_counts {
  std::uint64_t allocations = 0;      // calls that gave a block
  std::uint64_t deallocations = 0;    // calls that took one back
  std::size_t blocks_in_use = 0;      // given and not yet taken back
  std::size_t max_blocks_in_use = 0;  // the largest blocks_in_use so far
  std::size_t bytes_in_use = 0;
  std::size_t max_bytes_in_use = 0;
  std::uint64_t total_bytes = 0;      // of all blocks ever given
  std::size_t largest_bytes = 0;      // the largest single request
  std::size_t largest_alignment = 0;  // the strictest single request

  // Effects: records that a block of `bytes` bytes at `alignment` was given.
  void on_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    ++allocations;
    max_blocks_in_use = std::max(max_blocks_in_use, ++blocks_in_use);
    bytes_in_use += bytes;
    max_bytes_in_use = std::max(max_bytes_in_use, bytes_in_use);
    total_bytes += bytes;
    largest_bytes = std::max(largest_bytes, bytes);
    largest_alignment = std::max(largest_alignment, alignment);
  }

  // Effects: records that a block of `bytes` bytes was taken back.
  void on_deallocate(std::size_t bytes) noexcept {
    ++deallocations;
    --blocks_in_use;
    bytes_in_use -= bytes;
  }
};

}  // namespace mallard::inline v1
