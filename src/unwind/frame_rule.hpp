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
#if defined(__aarch64__)
  // The register of the return address, where the thread was interrupted: a function that calls
  // nothing leaves it there. 0 in the frames outside of that, which have saved theirs.
  std::uint64_t lr = 0;
  bool sp_is_known =
      true;  // else a frame pointer led here, and `sp` is only the end of what lies there
#endif
};

// The frame address and the place where the caller's frame pointer is saved. The return address
// lies below the frame address, which on x86-64 is the caller's stack pointer (CFA). On aarch64 a
// function saves its caller's frame pointer and return address side by side, anywhere in its frame,
// and the frame address is where these two end; `bp_offset` is where they begin, from the caller's
// stack pointer, in words, or 0 where they are in their registers.
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

#if defined(__aarch64__)
// It does not say where the frame ends, only where its two words are.
inline constexpr frame_rule frame_pointer_rule{frame_rule::address::not_described,
                                               frame_rule::saved::at_frame_address, -2, 0};
#else
inline constexpr frame_rule frame_pointer_rule{frame_rule::address::of_bp,
                                               frame_rule::saved::at_frame_address, -16, 16};
#endif

// The rule at an address, by the tables of the module that it lies in. Async-signal-safe; reads
// nothing but the module's tables.
frame_rule find_frame_rule(std::uint64_t ip) noexcept;
// The same by a module's .eh_frame_hdr; null: it has none.
frame_rule find_frame_rule(const std::uint8_t* frame_table, std::uint64_t ip) noexcept;

}  // namespace mallard::unwind
