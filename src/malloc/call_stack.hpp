// Purpose: the stack of the thread's call of malloc. Takes no lock and allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mallard::inline v1::detail {

struct call_stack {
  // The innermost ones of a deeper stack are kept.
  static constexpr std::size_t most_frames = 100;
  std::array<std::uint64_t, most_frames> returns;  // return addresses, the innermost first
  std::size_t count = 0;
};

// Takes memory to be fast; it works without.
void prepare_call_stacks() noexcept;
// Without the frames of this library, where it is a shared one.
void find_call_stack(call_stack& out) noexcept;
// Where a signal has come, by the third argument of its handler.
void find_interrupted_stack(const void* context, call_stack& out) noexcept;

}  // namespace mallard::inline v1::detail
