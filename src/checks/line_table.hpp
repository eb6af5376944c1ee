// Purpose: source lines of addresses, from the DWARF line tables (versions 2 to 5) of one file.
//
// One pass over .debug_line finds the lines of all addresses: each unit has a header with its
// files, and a program that makes rows of growing addresses; a row holds up to the next one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mallard::inline v1::detail {

struct source_line {
  std::string file;
  std::uint64_t line = 0;  // 0: not known
};

struct debug_sections {
  std::string_view lines;         // .debug_line
  std::string_view line_strings;  // .debug_line_str
  std::string_view strings;       // .debug_str
};

// Effects: fills in found[i] for addresses[i], of `count`, if the tables know it. Reads damaged
// tables as far as it can.
void find_lines(const debug_sections& in, const std::uint64_t* addresses, unsigned count,
                source_line* found);

}  // namespace mallard::inline v1::detail
