// Purpose: names and lines of addresses in one file of the program, from its ELF sections.
#pragma once

#include <cstdint>
#include <string>

#include "checks/line_table.hpp"

namespace mallard::inline v1::detail {

struct symbol {
  std::string function;  // as written in C++; empty if not known
  source_line where;
};

// Effects: fills in found[i] for addresses[i], of `count`, as they are in the file: less where it
// is loaded. A file that cannot be read or is no ELF file of 64 bits gives nothing.
void find_symbols(const char* path, const std::uint64_t* addresses, unsigned count, symbol* found);

}  // namespace mallard::inline v1::detail
