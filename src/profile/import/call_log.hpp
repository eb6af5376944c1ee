// The files of mallard::logging_resource (CSV, a line for each call) as traces.
//
// They say times, threads, addresses, sizes and alignments, of one resource; no stacks. Its blocks
// are taken for blocks of the heap, so that a replay serves them by every strategy.
#pragma once

#include <string>

#include "profile/import/heaptrack.hpp"

namespace mallard::profile {

// Whether the file begins like one of logging_resource's. False for files that cannot be read.
bool is_call_log(const std::string& path);

// Writes the trace `to`. Throws std::runtime_error, in one line, if `from` cannot be read or is no
// such file, or if `to` cannot be written. A damaged file gives what is readable.
import_result import_call_log(const std::string& from, const std::string& to);

}  // namespace mallard::profile
