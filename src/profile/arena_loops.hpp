// Finds a place for an arena in a program that works in a loop of main: the blocks of each turn die
// in it.
//
// The invocation tracker sums up turns by the place at which they begin (`turn_sum`). One loop
// gives several such sums if its turns begin at several allocations. find_arena_loops() maps each
// sum to a range of lines of the function and sorts them. Neighbours of one function and file are
// joined into one loop if their lines overlap or if their numbers of turns are equal. A loop that
// keeps more than 1 % of its blocks is dropped.
#pragma once

#include <vector>

#include "profile/functions.hpp"
#include "profile/invocations.hpp"
#include "profile/result.hpp"

namespace mallard::profile {

// Considers only functions whose lines are known.
std::vector<arena_loop> find_arena_loops(const invocation_tracker& tracker,
                                         const trace_reader& trace,
                                         const function_table& functions);

}  // namespace mallard::profile
