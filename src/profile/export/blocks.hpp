// Every block of a recording as a row of a table.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "process/replaced_file.hpp"
#include "profile/functions.hpp"
#include "profile/trace/trace_reader.hpp"

namespace mallard::profile {

struct block_row {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t allocated_ns = 0;  // since the start
  std::uint32_t thread = 0;
  std::uint32_t stack = 0;
  std::optional<std::uint64_t> freed_ns;  // not set: alive at the end
  std::optional<std::uint32_t> freed_by;  // the thread
};

// Calls `take` for each block when it is freed, and at the end for live ones in the order of their
// addresses. A reallocation frees one block and allocates another. Memory: for live blocks.
void for_each_block(trace_reader& trace, const std::function<void(const block_row&)>& take);

// A row for each block, with the function that allocated it. Returns: the number of rows.
std::uint64_t write_csv(trace_reader& trace, const function_table& functions, std::ostream& out);

// Tables: blocks, stacks (each with its caller), threads; and a view `sites`, which sums blocks by
// function. Throws std::runtime_error, with one line, if the file cannot be written. Returns: the
// number of blocks.
std::uint64_t write_sqlite(trace_reader& trace, const function_table& functions,
                           const process::replaced_file& out);

}  // namespace mallard::profile
