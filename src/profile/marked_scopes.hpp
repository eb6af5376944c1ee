// Turns scopes marked in the source into arena scopes, without a judgement.
#pragma once

#include <vector>

#include "profile/arena_scopes.hpp"
#include "profile/mark_tracker.hpp"

namespace mallard::profile {

std::vector<arena_scope> marked_scopes(const mark_tracker& marks, const trace_reader& trace,
                                       const function_table& functions);

}  // namespace mallard::profile
