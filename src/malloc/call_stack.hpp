// Purpose: finds the stack of a call of malloc. Takes no lock and allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mallard::inline v1::detail {

struct call_stack {
  // A deeper stack keeps its innermost frames.
  static constexpr std::size_t most_frames = 100;
  std::array<std::uint64_t, most_frames> returns;  // return addresses, the innermost first
  std::size_t count = 0;
};

// Takes memory to make walks fast; they work without it.
void prepare_call_stacks() noexcept;
// Omits the frames of this library if it is a shared one.
void find_call_stack(call_stack& out) noexcept;
// The stack that a signal interrupted, by the third argument of its handler.
void find_interrupted_stack(const void* context, call_stack& out) noexcept;

}  // namespace mallard::inline v1::detail
