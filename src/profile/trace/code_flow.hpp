// The ways through a function from one of its calls to the next, read from its machine code, so
// that a call of the function can be told from a loop inside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mallard::profile {

// From a place, a return address, to the next places that are known, and to the function's end.
// Other calls than those are passed over. A function that is jumped to belongs to it.
struct place_flow {
  bool known = false;       // what follows is
  bool leaves = false;      // the function may return with no known place between
  bool skips = false;       // it may do so from its start
  bool jumps_on = false;    // its code may jump to another that allocates, which has its frame then
  bool outside = false;     // another module's function was called that always allocates, as malloc
  std::uint64_t calls = 0;  // the beginning of the function of this module that was called; or 0
  std::vector<std::uint64_t> next;
  // The first known places that the function comes to; only at one of its places.
  std::optional<std::vector<std::uint64_t>> begins;

  friend bool operator==(const place_flow&, const place_flow&) = default;
};

struct code_place {
  std::uint64_t place = 0;  // a return address, relative to the load bias
  std::uint64_t start = 0;  // of its function; 0: not known
};

// One for each place of the ELF file. Nothing but `calls` is known of a place where a way is not,
// as through a jump to what a register says that is no switch, on other processors than x86-64, or
// where the file calls setjmp or longjmp. A throw leads to the handlers of the calls that it
// leaves; functions without a table for unwinding are taken to have none.
std::vector<place_flow> flows_of(const std::string& path, const std::vector<code_place>& places);

}  // namespace mallard::profile
