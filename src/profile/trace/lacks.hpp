// Facts that a trace does not hold.
#pragma once

#include <algorithm>
#include <string_view>

#include "profile/trace/trace_info.hpp"

namespace mallard::profile {

// Whether `what`, like "times" or "threads", is among what was not recorded.
inline bool lacks(const process_info& process, std::string_view what) {
  const auto& missing = process.not_recorded;
  return std::find(missing.begin(), missing.end(), what) != missing.end();
}

// Lacking if the recording began when its program ran already.
inline constexpr const char* the_start = "the start";

}  // namespace mallard::profile
