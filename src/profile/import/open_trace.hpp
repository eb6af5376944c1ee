// Opens any trace. Files of heaptrack and of mallard::logging_resource are imported on the way into
// a hidden temporary file.
#pragma once

#include <memory>
#include <string>

#include "profile/import/import_result.hpp"
#include "profile/trace/trace_reader.hpp"

namespace mallard::profile {

// Whether the file begins like one that import_trace() reads. False if it cannot be read.
bool is_importable(const std::string& path);

// Writes the trace `to`. Throws std::runtime_error, with one line, if `from` cannot be read or is
// no such file, or if `to` cannot be written. Imports the readable part of a damaged file.
import_result import_trace(const std::string& from, const std::string& to);

struct opened_trace {
  std::unique_ptr<trace_reader> trace;  // with symbols, as far as known
  import_result imported;               // empty if the file was a trace
};

// Throws std::runtime_error, with one line, if the file cannot be read, has sums instead of
// operations, or is a part of a trace without any event.
opened_trace open_trace(const std::string& path);

}  // namespace mallard::profile
