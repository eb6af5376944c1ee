// A timeline for Perfetto and chrome://tracing.
#pragma once

#include <string>

#include "profile/views/timeline.hpp"

namespace mallard::profile {

// Chrome's trace-event JSON: for each subsystem a counter track of live bytes, and its epochs as
// slices.
std::string to_perfetto(const timeline& data, const std::string& program, long process);

}  // namespace mallard::profile
