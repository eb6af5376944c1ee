// Finds a place for an arena in a program whose work is done by a loop of main: each turn's blocks
// die in it.
#pragma once

#include <vector>

#include "profile/functions.hpp"
#include "profile/invocations.hpp"
#include "profile/result.hpp"

namespace mallard::profile {

// Looks at functions whose lines are known. Turns that begin at several places of the same lines
// are one loop's.
std::vector<arena_loop> find_arena_loops(const invocation_tracker& tracker,
                                         const trace_reader& trace,
                                         const function_table& functions);

}  // namespace mallard::profile
