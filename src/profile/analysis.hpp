// From a trace to what `mallard dims` and `mallard top` say: two passes over the events, one that
// finds totals, arena scopes and what the call tree carries, one that measures each subsystem.
#pragma once

#include <string>
#include <vector>

#include "profile/result.hpp"
#include "profile/subsystem_rules.hpp"
#include "profile/trace/trace_reader.hpp"

namespace mallard::profile {

struct analysis_options {
  subsystem_options subsystems;
  std::size_t windows = 100;
  selection part;  // of the trace
};

// Memory: about 120 bytes for each block that is live at once, and what the reader takes.
dims_result analyse(trace_reader& trace, const analysis_options& options);

// By function or by line of the source; the most bytes first.
std::vector<site> list_sites(trace_reader& trace, bool by_line);

}  // namespace mallard::profile
