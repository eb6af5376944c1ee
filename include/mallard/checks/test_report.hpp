// Reports of misuse by the checking resources.
//
//   mallard::test_resource memory([](const mallard::test_report& r) {
//     mallard::print(r, stderr);  // one line, and where the block came from
//   });
//
// Thread-safety: the functions may be called by any thread at any time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "mallard/checks/call_stack.hpp"
#include "mallard/detail/callback.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"  // IWYU pragma: keep

namespace mallard::inline v1 {

inline constexpr std::uint64_t unknown_serial = UINT64_MAX;

enum class test_fault {
  overrun,          // bytes after the block were written
  underrun,         // bytes before the block were written
  use_after_free,   // bytes of the block were written after it had been given back
  double_free,      // given back again (recognised among the last 256 given back)
  wrong_resource,   // given back to another test_resource than the one it is from
  foreign_pointer,  // given back, but never given
  wrong_size,       // given back with another size
  wrong_alignment,  // given back with another alignment
  bad_alignment,    // asked for an alignment that is not a power of two
  leak,             // still in use when the resource is destroyed, or when asked
  from_default,     // asked of the default resource while that was forbidden
  effect,           // a winked-out object did more than give back memory of its resource
};

// Returns: the fault's name as spelt above.
MALLARD_API const char* to_string(test_fault fault) noexcept;

// Blocks that came from the same place.
struct leak_group {
  std::size_t blocks = 0;
  std::size_t bytes = 0;
  call_stack given;
};

struct test_report {
  test_fault fault{};
  const void* block = nullptr;           // the block; for leaks the oldest one
  std::uint64_t serial = 0;              // of its allocation, 0 first; or unknown_serial
  std::size_t bytes = 0, alignment = 0;  // what the caller said; for leaks the sum of bytes
  std::size_t expected_bytes = 0;        // what was asked for when the block was given
  std::size_t expected_alignment = 0;    //
  std::size_t blocks = 1;                // how many blocks are concerned: 1 except for leaks
  const char* resource = nullptr;        // the name of the one that reports, if it has one
  const char* other = nullptr;         // wrong_resource: the name of the block's own; effect: which
  const void* inside = nullptr;        // foreign_pointer: the block that it points into, if any
  call_stack found;                    // where the fault was seen
  call_stack given;                    // where the block was given; empty if unknown
  call_stack taken_back;               // where it was given back before
  const leak_group* groups = nullptr;  // leaks, by where they came from, the most bytes first;
  std::size_t group_count = 0;         // 16 at most; as long as the handler runs
};

// Effects: prints the report: a line, and the stacks that it has.
MALLARD_API void print(const test_report& report, std::FILE* to) noexcept;

// Made from any function object that takes a `const test_report&`; it must not throw.
using test_handler = detail::callback<void(const test_report&)>;

namespace detail {

// The handler of those who have none: prints on stderr and aborts the program.
[[noreturn]] MALLARD_API void print_and_abort(const test_report& report) noexcept;

}  // namespace detail
}  // namespace mallard::inline v1
