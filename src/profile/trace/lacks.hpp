// Facts that a trace does not hold.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "profile/trace/trace_info.hpp"

namespace mallard::profile {

// Whether `what`, like "times" or "threads", is among what was not recorded.
inline bool lacks(const std::vector<std::string>& missing, std::string_view what) {
  return std::find(missing.begin(), missing.end(), what) != missing.end();
}
inline bool lacks(const process_info& process, std::string_view what) {
  return lacks(process.not_recorded, what);
}

// Lacking if the recording began when its program ran already.
inline constexpr const char* the_start = "the start";
// Lacking in a part of a trace: its program went on, or others of its threads are left out.
inline constexpr const char* the_end = "the end";
inline constexpr const char* other_threads = "the other threads";
// Lacking in files of other tools.
inline constexpr const char* stacks_of_frees = "stacks of frees";
// Lacking where one of so many operations has a stack, or none.
inline constexpr const char* most_stacks = "most stacks";
// Lacking where stacks were deeper than the recorder keeps.
inline constexpr const char* outer_frames = "the outer frames of the deepest stacks";

}  // namespace mallard::profile
