// A part of a trace as a trace of its own.
#pragma once

#include "profile/trace/trace_reader.hpp"
#include "profile/trace/trace_writer.hpp"

namespace mallard::profile {

// Effects: writes what `part` takes of the trace to the file `to`, with all modules and symbols,
// and finishes it if nothing was missing in what was read. Times stay what they were. Returns: how
// many events it has. Throws std::system_error if the file cannot be created, std::runtime_error if
// it cannot be written.
std::uint64_t copy_trace(trace_reader& trace, const selection& part, const std::string& to);

}  // namespace mallard::profile
