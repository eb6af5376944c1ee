// Purpose: where a frame ends, by its rule: one step of a walk, in which nothing is read before its
// page was tried.
#pragma once

#include <cstdint>

#include "unwind/frame_rule.hpp"
#include "unwind/readable_range.hpp"

namespace mallard::unwind {

inline std::uint64_t load(std::uint64_t at) noexcept {
  return *reinterpret_cast<const std::uint64_t*>(at);
}

// The frame address, below which the return address can be read; 0: not found.
inline std::uint64_t frame_address_of(const frame_state& at, const frame_rule& rule,
                                      readable_range& readable) noexcept {
  using address = frame_rule::address;
  constexpr std::uint64_t largest_frame = std::uint64_t{8} << 20;
  const auto offset = static_cast<std::uint64_t>(std::int64_t{rule.offset});
  // Whether the register can be the frame pointer of a function with this stack pointer.
  const bool plausible = at.bp >= at.sp && at.bp - at.sp < largest_frame && (at.bp & 7) == 0;
  std::uint64_t end = 0;
  if (rule.how == address::of_sp) end = at.sp + offset;
  if (rule.how == address::of_bp && plausible) end = at.bp + offset;
  if (rule.how == address::at_bp && readable.has(at.bp + offset)) end = load(at.bp + offset);
  const bool is_found =
      end > at.sp && end - at.sp < largest_frame && readable.has(end - sizeof(std::uint64_t));
  return is_found ? end : 0;
}

// Where a frame with this end has the caller's frame pointer; 0: it has not, or it cannot be read.
inline std::uint64_t saved_bp_place(const frame_state& at, const frame_rule& rule,
                                    std::uint64_t frame_address,
                                    readable_range& readable) noexcept {
  using saved = frame_rule::saved;
  if (rule.bp == saved::nowhere) return 0;
  const std::uint64_t from = rule.bp == saved::at_frame_address ? frame_address : at.bp;
  const std::uint64_t place = from + static_cast<std::uint64_t>(std::int64_t{rule.bp_offset});
  return readable.has(place) ? place : 0;
}

}  // namespace mallard::unwind
