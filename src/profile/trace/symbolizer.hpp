// Finds what the addresses of a trace are called: function, file and line, inlined functions
// included, from the debug information of the program's files where they have it, else from their
// symbol tables, else only where each function begins, from their tables for unwinding.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "profile/trace/trace_info.hpp"
#include "profile/trace/trace_writer.hpp"

namespace mallard::profile {

// For any number of traces, one after the other: what was read of a module serves all of them. Not
// thread-safe.
class symbolizer {
 public:
  symbolizer();
  ~symbolizer();

  // Effects: the trace says what all addresses in its stacks are called. Called when recording has
  // ended, before finish(). Files that are gone or have changed (another build-id) are passed over.
  void add(trace_writer& trace);
  // The same for any stacks and modules.
  symbol_table find(const stack_table& stacks, const std::vector<module_info>& modules);

 private:
  class module_symbols;
  module_symbols& symbols_of(const module_info& module);

  // By path and build-id.
  std::map<std::pair<std::string, std::string>, std::unique_ptr<module_symbols>> modules_;
};

// Where the functions of an ELF file begin, by its table for unwinding; relative to the load bias.
// Empty if it has none.
std::vector<std::uint64_t> function_starts(const std::string& path);
// For each of the places (relative to the load bias, return addresses) whether the instruction
// before it is a direct call, as far as this processor's instructions are known (x86-64, aarch64).
std::vector<bool> after_direct_call(const std::string& path,
                                    const std::vector<std::uint64_t>& places);
// The build-id of an ELF file; empty if it has none.
std::string build_id_of(const std::string& path);

}  // namespace mallard::profile
