// Purpose: how to get from a frame to its caller's: what .eh_frame says of one address, in a word.
#pragma once

#include <cstdint>

namespace mallard::unwind {

// The known part of a frame: an address in its function, the stack pointer there, the frame pointer
// register there (whatever the function uses it for).
struct frame_state {
  std::uint64_t ip;
  std::uint64_t sp;
  std::uint64_t bp;
};

// The frame address (CFA) and the place where the caller's frame pointer is saved.
struct frame_rule {
  enum class address : std::uint8_t {
    unknown,        // not asked for yet
    of_sp,          // sp + offset
    of_bp,          // bp + offset
    at_bp,          // what is at bp + offset (functions that align their stack)
    signal,         // the frame of a signal handler: the kernel has saved everything
    outermost,      // nobody called it
    not_described,  // no table speaks of it: perhaps it has a frame pointer
  };
  enum class saved : std::uint8_t { nowhere, at_frame_address, at_bp };

  address how = address::unknown;
  saved bp = saved::nowhere;
  std::int16_t bp_offset = 0;
  std::int32_t offset = 0;
};
static_assert(sizeof(frame_rule) == 8);

inline constexpr frame_rule frame_pointer_rule{frame_rule::address::of_bp,
                                               frame_rule::saved::at_frame_address, -16, 16};

// The rule at an address, by the tables of the module that it lies in. Async-signal-safe; reads
// nothing but the module's tables.
frame_rule find_frame_rule(std::uint64_t ip) noexcept;

}  // namespace mallard::unwind
