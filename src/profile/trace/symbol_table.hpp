// Names of addresses, so that a trace can be read where the program's files are not.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profile/trace/code_flow.hpp"
#include "profile/trace/trace_info.hpp"

namespace mallard::profile {

// One function at an address; where functions were inlined there are several, the innermost first.
struct symbol_line {
  std::uint32_t function = 0;  // an index into symbol_table::strings
  std::uint32_t file = 0;
  std::uint32_t line = 0;  // 0: not known

  friend bool operator==(const symbol_line&, const symbol_line&) = default;
};

struct symbol {
  std::uint64_t start = 0;  // where the function begins that the address lies in; 0: not known
  // The address follows a direct call: only one function is called from there.
  bool direct = false;
  std::vector<symbol_line> lines;  // may be empty: only the start is known
  place_flow flow;                 // its places are addresses as they were in the process

  friend bool operator==(const symbol&, const symbol&) = default;
};

struct symbol_key {
  std::uint32_t module = 0;  // its number in the trace, from 0
  std::uint64_t ip = 0;

  friend auto operator<=>(const symbol_key&, const symbol_key&) = default;
};

struct symbol_table {
  std::vector<std::string> strings{""};
  std::map<symbol_key, symbol> of;

  friend bool operator==(const symbol_table&, const symbol_table&) = default;
};

// The number of the module that an address of this stack lies in; modules.size() if in none.
std::uint32_t module_at(const std::vector<module_info>& modules, std::uint64_t ip,
                        std::uint32_t stack);

std::string to_bytes(const symbol_table& table);
// Adds what the bytes say. Throws `malformed`.
void read_symbols(std::string_view raw, symbol_table& table);

}  // namespace mallard::profile
