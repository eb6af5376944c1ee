// Elements of a recording: heap operations, each with its time, thread and stack.
#pragma once

#include <cstdint>

namespace mallard::profile {

enum class event_kind : std::uint8_t { allocate, free, reallocate, scope_enter, scope_exit };

// The entry point of blocks that a named memory resource handed out. Such blocks lie inside blocks
// of the heap, so totals do not count them. Every other number is the recorder's own, and the trace
// says its name.
inline constexpr std::uint8_t resource_function = 255;

// One operation, as recorded. Frees have stacks like allocations: where a block dies tells whether
// the function that made it had returned by then.
struct event {
  std::uint64_t time = 0;     // ns since the recording began; allocate: after it, free: before it
  std::uint64_t address = 0;  // of the block (reallocate: the new one); scopes: the name's id
  std::uint64_t old_address = 0;  // reallocate: the old block; resource_function: the resource's id
  std::uint64_t size = 0;         // bytes requested; free: 0, or what the caller said
  std::uint32_t stack = 0;        // id of a stack; 0: not known
  std::uint32_t cost = 0;         // ns that the operation itself took, where it was timed; else 0
  event_kind kind = event_kind::allocate;
  std::uint8_t function = 0;        // which entry point
  std::uint8_t alignment_log2 = 0;  // 0: the entry point's own

  friend bool operator==(const event&, const event&) = default;
};

// One call on a stack.
struct frame {
  std::uint64_t ip = 0;             // the return address into the function
  std::uint64_t frame_address = 0;  // CFA or frame pointer; 0: not known

  friend bool operator==(const frame&, const frame&) = default;
};

// A thread's position when the timer on its processor clock went off.
struct cpu_sample {
  std::uint64_t time = 0;  // ns since the recording began
  std::uint32_t stack = 0;
  bool in_heap = false;  // in an operation of the heap, and not in the recorder

  friend bool operator==(const cpu_sample&, const cpu_sample&) = default;
};

}  // namespace mallard::profile
