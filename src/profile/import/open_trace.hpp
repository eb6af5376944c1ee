// A trace to read, whoever recorded it: heaptrack's files and those of mallard::logging_resource
// are imported on the way, into a temporary file that nobody sees.
#pragma once

#include <memory>
#include <string>

#include "profile/import/import_result.hpp"
#include "profile/trace/trace_reader.hpp"

namespace mallard::profile {

// Whether the file begins like one that import_trace() reads. False for files that cannot be read.
bool is_importable(const std::string& path);

// Writes the trace `to`. Throws std::runtime_error, in one line, if `from` cannot be read or is no
// such file, or if `to` cannot be written. A damaged file gives what is readable.
import_result import_trace(const std::string& from, const std::string& to);

struct opened_trace {
  std::unique_ptr<trace_reader> trace;  // with symbols, as far as they are found
  import_result imported;               // of nothing where it was a trace
};

// Throws std::runtime_error, in one line, if the file cannot be read or has no operations.
opened_trace open_trace(const std::string& path);

}  // namespace mallard::profile
