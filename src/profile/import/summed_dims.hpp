// `mallard dims` of the sums of another tool: totals, peaks, leaks, and which functions they belong
// to. Times, threads, addresses and the size of each block were not recorded, so most dimensions
// are not known.
#pragma once

#include "profile/import/summed_profile.hpp"
#include "profile/result.hpp"
#include "profile/subsystem_rules.hpp"

namespace mallard::profile {

// Groupings are those that go by functions; "found" is where the tree of functions splits, as for
// traces. Throws std::invalid_argument, in one line, for the others.
dims_result dims_of(const summed_profile& from, const subsystem_options& options);

}  // namespace mallard::profile
