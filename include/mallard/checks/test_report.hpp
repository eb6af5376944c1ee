// Purpose: reports of misuse by the checking resources.
//
//   mallard::test_resource memory([](const mallard::test_report& r) {
//     mallard::print(r, stderr);  // one line, and where the block came from
//   });
//
// Thread-safety: any thread may call the functions at any time.
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
  use_after_free,   // bytes of the block were written after it was freed
  double_free,      // freed again (recognised among the last 256 freed blocks)
  wrong_resource,   // freed in another test_resource than its own
  foreign_pointer,  // freed, but never allocated
  wrong_size,       // freed with another size
  wrong_alignment,  // freed with another alignment
  bad_alignment,    // the requested alignment is not a power of two
  leak,             // still in use at the destruction of the resource, or at report_leaks()
  from_default,     // requested from the default resource while that was forbidden
  effect,           // a winked-out object did more than free memory of its resource
};

// Returns: the fault's name as spelt above.
MALLARD_API const char* to_string(test_fault fault) noexcept;

// Blocks that were allocated at one place.
struct leak_group {
  std::size_t blocks = 0;
  std::size_t bytes = 0;
  call_stack given;
};

struct test_report {
  test_fault fault{};
  const void* block = nullptr;           // the block; for leaks the oldest one
  std::uint64_t serial = 0;              // of its allocation, 0 first; or unknown_serial
  std::size_t bytes = 0, alignment = 0;  // what the caller passed; for leaks the sum of bytes
  std::size_t expected_bytes = 0;        // what was requested at the allocation
  std::size_t expected_alignment = 0;    //
  std::size_t blocks = 1;                // how many blocks are concerned: 1 except for leaks
  const char* resource = nullptr;        // the name of the one that reports, if it has one
  const char* other = nullptr;         // wrong_resource: the name of the block's own; effect: which
  const void* inside = nullptr;        // foreign_pointer: the block that it points into, if any
  call_stack found;                    // where the fault was seen
  call_stack given;                    // where the block was allocated; empty if unknown
  call_stack taken_back;               // where it was freed before
  const leak_group* groups = nullptr;  // leaks, by where they were allocated, most bytes first;
  std::size_t group_count = 0;         // at most 16; valid while the handler runs
};

// Effects: prints the report: a line, and its stacks.
MALLARD_API void print(const test_report& report, std::FILE* to) noexcept;

// Takes any function object that accepts a `const test_report&` and does not throw.
using test_handler = detail::callback<void(const test_report&)>;

namespace detail {

// The default handler: prints on stderr and aborts the program.
[[noreturn]] MALLARD_API void print_and_abort(const test_report& report) noexcept;

}  // namespace detail
}  // namespace mallard::inline v1
