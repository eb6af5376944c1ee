// How routes are compared: which of them take the same way through the hook, and which can serve in
// turns with a malloc.
#pragma once

#include <vector>

#include "route/session.hpp"
#include "whatif/whatif.hpp"

namespace mallard::whatif {

using route_rules = std::vector<route::route_rule>;

// The same blocks, whatever serves them.
bool have_same_conditions(const route_rules& some, const route_rules& others);
// Such blocks take as long to find, and arenas of a call as long to end.
bool go_the_same_way(const route_rules& some, const route_rules& others);
// All of them are; false for none.
bool are_scoped(const route_rules& rules);

bool was_met(const std::vector<route_outcome>& routes);
// By a run of so many seconds in which the resources served all: there are enough invocations, time
// for turns, and its thread frees the blocks of each before the next one begins.
bool fit_turns(double seconds, const std::vector<route_outcome>& routes);

}  // namespace mallard::whatif
