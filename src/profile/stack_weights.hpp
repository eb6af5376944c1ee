// Sums of the events at one stack, without the stacks below it.
#pragma once

#include <cstdint>

namespace mallard::profile {

struct stack_weights {
  std::uint64_t operations = 0;    // allocations, frees and reallocations
  std::uint64_t allocations = 0;   // blocks
  std::uint64_t bytes = 0;         // allocated
  std::uint64_t leaked_bytes = 0;  // live at the end
  std::uint64_t leaked_blocks = 0;
  std::uint64_t temporary = 0;    // freed by their thread's next operation
  std::uint64_t nanoseconds = 0;  // sampled processor time of the program
  std::uint64_t peak_bytes = 0;   // live at the heap's peak
  std::uint64_t peak_blocks = 0;

  stack_weights& operator+=(const stack_weights& other) {
    operations += other.operations;
    allocations += other.allocations;
    bytes += other.bytes;
    peak_bytes += other.peak_bytes;
    peak_blocks += other.peak_blocks;
    leaked_bytes += other.leaked_bytes;
    leaked_blocks += other.leaked_blocks;
    temporary += other.temporary;
    nanoseconds += other.nanoseconds;
    return *this;
  }
  bool any() const {
    return (operations | allocations | bytes | peak_bytes | peak_blocks | leaked_bytes |
            leaked_blocks | temporary | nanoseconds) != 0;
  }
};

}  // namespace mallard::profile
