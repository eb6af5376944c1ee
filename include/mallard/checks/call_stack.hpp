// Purpose: records where a call came from, for reports.
//
//   const auto here = mallard::call_stack::capture();
//   mallard::print(here, stderr);  // "  fill (shop.cpp:12)", a line for each function
//
// Complexity: capture takes some microseconds, O(frames); print reads the symbols of the program's
// files. Thread-safety: any thread may call all functions at any time, not in a signal handler.
#pragma once

#include <cstddef>
#include <cstdio>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

// Function names come from the files' symbol tables, lines from their DWARF line tables (versions 2
// to 5, not compressed; compile with -g). If a file has none, its name and the offset in it are
// printed, as addr2line takes them.
struct call_stack {
  static constexpr unsigned most_frames = 24;

  unsigned count = 0;
  void* frames[most_frames] = {};  // return addresses, the innermost first

  // Returns: the callers of this function, at most `frames`. Empty if the system cannot tell.
  MALLARD_API static call_stack capture(unsigned frames = most_frames) noexcept;
};

// Effects: prints a line for each frame up to main, indented by two blanks, without the functions
// of Mallard and std.
MALLARD_API void print(const call_stack& stack, std::FILE* to) noexcept;

// Effects: prints "function (file:line)" of the program's innermost frame, without a line end; "an
// unknown place" if there is none.
MALLARD_API void print_place(const call_stack& stack, std::FILE* to) noexcept;

}  // namespace mallard::inline v1
