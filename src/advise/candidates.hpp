// Finds the strategies worth trying for each subsystem. The documents' charts ask whether a
// program is large and long-running, then for the locality (L) of its accesses, for how much of its
// memory is used again (U), and for contention (C); what was recorded then says which of the local
// allocators can serve at all. Candidates are not ranked here: only a replay does that.
#pragma once

#include <vector>

#include "advise/advice.hpp"
#include "profile/result.hpp"

namespace mallard::advise {

// `places`: one for each subsystem. The subsystems that have most to gain come first; those whose
// bound is below least_gain have none. Refused ones are among them, with the reason. `ends_early`:
// the recording is of the program's beginning.
std::vector<candidate> find_candidates(const profile::dims_result& dims,
                                       const std::vector<code_place>& places,
                                       bool ends_early = false);

}  // namespace mallard::advise
