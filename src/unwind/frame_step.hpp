// Purpose: from a frame to its caller's, by its rule: one step of a walk, in which nothing is read
// before its page was tried. The memory is this process's, a `readable_range`, or another's: a
// class with the same `has` and `load`.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <cstdint>

#include "unwind/frame_rule.hpp"
#include "unwind/readable_range.hpp"

namespace mallard::unwind {

inline constexpr std::uint64_t largest_frame = std::uint64_t{8} << 20;

// The return address that the frame with this frame address has kept.
template <class Memory>
std::uint64_t return_address_below(std::uint64_t frame_address, Memory& memory) noexcept {
#if defined(__aarch64__)
  // Without what a processor that signs return addresses has put into it.
  register std::uint64_t address asm("x30") = memory.load(frame_address - 8);
  asm("hint #7" : "+r"(address));  // xpaclri
  return address;
#else
  return memory.load(frame_address - 8);
#endif
}

struct frame_end {
  std::uint64_t address = 0;  // the frame address; 0: not found
  std::uint64_t caller_sp = 0;
#if defined(__aarch64__)
  bool sp_is_known = true;
  bool is_by_register = false;  // the return address is in its register still
#else
  static constexpr bool is_by_register = false;
#endif
};

// Whether the register can be the frame pointer of a function with this stack pointer.
inline bool has_frame_pointer(const frame_state& at) noexcept {
  return at.bp >= at.sp && at.bp - at.sp < largest_frame && (at.bp & 7) == 0;
}

// The caller's stack pointer; 0: not found.
template <class Memory>
std::uint64_t caller_sp_of(const frame_state& at, const frame_rule& rule, Memory& memory) noexcept {
  using address = frame_rule::address;
  const auto offset = static_cast<std::uint64_t>(std::int64_t{rule.offset});
  std::uint64_t out = 0;
  if (rule.how == address::of_sp) out = at.sp + offset;
  if (rule.how == address::of_bp && has_frame_pointer(at)) out = at.bp + offset;
  if (rule.how == address::at_bp && memory.has(at.bp + offset)) out = memory.load(at.bp + offset);
  return out;
}

#if defined(__aarch64__)

template <class Memory>
frame_end end_of_frame(const frame_state& at, const frame_rule& rule, Memory& memory) noexcept {
  using address = frame_rule::address;
  if (rule.how == address::not_described || (rule.how == address::of_sp && !at.sp_is_known)) {
    const bool is_found = has_frame_pointer(at) && memory.has(at.bp) && memory.has(at.bp + 8);
    return is_found ? frame_end{at.bp + 16, at.bp + 16, false} : frame_end{};
  }
  const std::uint64_t sp = caller_sp_of(at, rule, memory);
  if (sp < at.sp || sp - at.sp >= largest_frame) return {};
  if (rule.bp_offset == 0) return at.lr != 0 ? frame_end{sp, sp, true, true} : frame_end{};
  const std::uint64_t begin = sp - 8 * static_cast<std::uint64_t>(-std::int64_t{rule.bp_offset});
  const bool is_found = begin >= at.sp && memory.has(begin) && memory.has(begin + 8);
  return is_found ? frame_end{begin + 16, sp} : frame_end{};
}

// Where a frame with this end has the caller's frame pointer; 0: it has not, or it cannot be read.
template <class Memory>
std::uint64_t saved_bp_place(const frame_state&, const frame_rule& rule, const frame_end& end,
                             Memory&) noexcept {
  return rule.bp == frame_rule::saved::nowhere || end.is_by_register ? 0 : end.address - 16;
}

template <class Memory>
frame_state caller_of(const frame_state& at, const frame_end& end, std::uint64_t bp_place,
                      Memory& memory) noexcept {
  return {end.is_by_register ? at.lr : return_address_below(end.address, memory), end.caller_sp,
          bp_place == 0 ? at.bp : memory.load(bp_place), 0, end.sp_is_known};
}

inline frame_state interrupted_state(const ucontext_t& from) noexcept {
  const mcontext_t& saved = from.uc_mcontext;
  return {saved.pc, saved.sp, saved.regs[29], saved.regs[30]};
}

#else

template <class Memory>
frame_end end_of_frame(const frame_state& at, const frame_rule& rule, Memory& memory) noexcept {
  const std::uint64_t end = caller_sp_of(at, rule, memory);
  const bool is_found = end > at.sp && end - at.sp < largest_frame && memory.has(end - 8);
  return is_found ? frame_end{end, end} : frame_end{};
}

// Where a frame with this end has the caller's frame pointer; 0: it has not, or it cannot be read.
template <class Memory>
std::uint64_t saved_bp_place(const frame_state& at, const frame_rule& rule, const frame_end& end,
                             Memory& memory) noexcept {
  using saved = frame_rule::saved;
  if (rule.bp == saved::nowhere) return 0;
  const std::uint64_t from = rule.bp == saved::at_frame_address ? end.address : at.bp;
  const std::uint64_t place = from + static_cast<std::uint64_t>(std::int64_t{rule.bp_offset});
  return memory.has(place) ? place : 0;
}

template <class Memory>
frame_state caller_of(const frame_state& at, const frame_end& end, std::uint64_t bp_place,
                      Memory& memory) noexcept {
  return {return_address_below(end.address, memory), end.caller_sp,
          bp_place == 0 ? at.bp : memory.load(bp_place)};
}

#if defined(__x86_64__)
inline frame_state interrupted_state(const ucontext_t& from) noexcept {
  const auto& saved = from.uc_mcontext.gregs;
  return {static_cast<std::uint64_t>(saved[REG_RIP]), static_cast<std::uint64_t>(saved[REG_RSP]),
          static_cast<std::uint64_t>(saved[REG_RBP])};
}
#else
// No handler's frame is known on other machines.
inline frame_state interrupted_state(const ucontext_t&) noexcept {
  return {};
}
#endif

#endif

// From the frame of a signal's handler, of which the kernel has saved everything, to what was
// interrupted. False: it cannot be read.
inline bool go_to_interrupted(frame_state& at, readable_range& readable) noexcept {
#if defined(__aarch64__)
  const std::uint64_t saved = at.sp + sizeof(siginfo_t);
#else
  const std::uint64_t saved = at.sp;
#endif
  if (!readable.has(saved) || !readable.has(saved + sizeof(ucontext_t) - 8)) return false;
  at = interrupted_state(*reinterpret_cast<const ucontext_t*>(saved));
  // The interrupted code may be on another stack.
  readable.enter(at.sp);
  return true;
}

}  // namespace mallard::unwind
