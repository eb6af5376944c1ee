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

// Effects: fills in found[i] for addresses[i], of `count`, given as in the file, without its load
// address. Gives nothing for a file that cannot be read or is no ELF file of 64 bits.
void find_symbols(const char* path, const std::uint64_t* addresses, unsigned count, symbol* found);

}  // namespace mallard::inline v1::detail
