// heaptrack's files (versions 2 and 3, as heaptrack_interpret writes them) as traces.
//
// They say sizes, stacks with symbols, the order of operations, and the time every ten
// milliseconds. They do not say addresses, threads, or which of several blocks of one size and
// stack is freed: the last one is taken, so lifetimes of such blocks are too short rather than too
// long. The trace names what is missing.
#pragma once

#include <string>

#include "profile/import/import_result.hpp"

namespace mallard::profile {

// Whether the file begins like one of heaptrack's. False for files that cannot be read.
bool is_heaptrack(const std::string& path);

// Writes the trace `to`. Throws std::runtime_error, in one line, if `from` cannot be read or is no
// such file, or if `to` cannot be written. A damaged file gives what is readable.
import_result import_heaptrack(const std::string& from, const std::string& to);

}  // namespace mallard::profile
