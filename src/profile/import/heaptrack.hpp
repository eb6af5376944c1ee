// Imports heaptrack's files (versions 2 and 3, as heaptrack_interpret writes them) as traces.
//
// They have sizes, stacks with symbols, the order of operations, and the time every ten
// milliseconds. They lack addresses and threads. They do not say which of several blocks of one
// size and stack is freed: the latest one is taken, so lifetimes of such blocks are too short
// rather than too long. The trace names what is missing.
#pragma once

#include <string>

#include "profile/import/import_result.hpp"

namespace mallard::profile {

// Whether the file begins like one of heaptrack's. False if it cannot be read.
bool is_heaptrack(const std::string& path);

// Writes the trace `to`. Throws std::runtime_error, with one line, if `from` cannot be read or is
// no such file, or if `to` cannot be written. Imports the readable part of a damaged file.
import_result import_heaptrack(const std::string& from, const std::string& to);

}  // namespace mallard::profile
