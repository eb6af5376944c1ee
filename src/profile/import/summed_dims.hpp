// `mallard dims` for another tool's sums: totals, peaks and leaks, by function. Times, threads,
// addresses and single sizes are missing, so most dimensions are unknown.
#pragma once

#include "profile/import/summed_profile.hpp"
#include "profile/result.hpp"
#include "profile/subsystem_rules.hpp"

namespace mallard::profile {

// Only groupings by function; "found" cuts the tree of functions as for traces. Throws
// std::invalid_argument, with one line, for other groupings.
dims_result dims_of(const summed_profile& from, const subsystem_options& options);

}  // namespace mallard::profile
