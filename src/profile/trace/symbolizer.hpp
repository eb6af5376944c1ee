// Finds what the addresses of a trace are called: function, file and line, inlined functions
// included, from the debug information of the program's files where they have it, else from their
// symbol tables, else only where each function begins, from their tables for unwinding.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "profile/trace/trace_info.hpp"
#include "profile/trace/trace_reader.hpp"
#include "profile/trace/trace_writer.hpp"

namespace mallard::profile {

// For any number of traces, one after the other. What was read of a file stays in the process and
// serves all symbolizers in it; their functions wait for each other.
class symbolizer {
 public:
  // Effects: the trace says what all addresses in its stacks are called. Called when recording has
  // ended, before finish(). Files that are gone or have changed (another build-id) are passed over.
  void add(trace_writer& trace);
  // The same for any stacks and modules; stacks[0] is none.
  symbol_table find(std::span<const stack_node> stacks, const std::vector<module_info>& modules);
  symbol_table find(const stack_list& stacks, const std::vector<module_info>& modules);
};

// Effects: where the trace has no symbols, because its recorder was killed or was told to write
// none, they are looked up now, in those of its modules that are still there as they were, which
// the build-id says.
void find_missing_symbols(trace_reader& trace);

// A function of an ELF file, and its description for unwinding; both relative to the load bias.
struct described_function {
  std::uint64_t start = 0;
  std::uint64_t frame = 0;
};

// All that the file's table for unwinding has, in order; empty if it has none.
std::vector<described_function> described_functions(const std::string& path);
// The last that begins at `place` or before; null: none.
const described_function* function_at(const std::vector<described_function>& functions,
                                      std::uint64_t place);
// The functions that the file's symbol tables name and that it has code for, demangled.
struct named_functions {
  std::string path;
  std::vector<std::string> names = {};
  bool has_debug_information = false;  // otherwise nothing tells of copies that were inlined
};
named_functions functions_of_file(const std::string& path);
// The place of an offset of the file when it is loaded, relative to the load bias; the offset
// itself where no part of the file that is loaded begins on its page.
std::uint64_t place_of_offset(const std::string& path, std::uint64_t offset);
// The build-id of an ELF file; empty if it has none.
std::string build_id_of(const std::string& path);

}  // namespace mallard::profile
