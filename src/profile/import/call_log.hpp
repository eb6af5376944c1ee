// Imports the files of mallard::logging_resource (CSV, a line for each call) as traces.
//
// They have times, threads, addresses, sizes and alignments of one resource, but no stacks. Its
// blocks count as blocks of the heap, so that a replay can serve them by every strategy.
#pragma once

#include <string>

#include "profile/import/heaptrack.hpp"

namespace mallard::profile {

// Whether the file begins like one of logging_resource's. False if it cannot be read.
bool is_call_log(const std::string& path);

// Writes the trace `to`. Throws std::runtime_error, with one line, if `from` cannot be read or is
// no such file, or if `to` cannot be written. Imports the readable part of a damaged file.
import_result import_call_log(const std::string& from, const std::string& to);

}  // namespace mallard::profile
