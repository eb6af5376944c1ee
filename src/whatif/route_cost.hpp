// What the way to a resource takes: which one it is, whose the block is, how large it was. A
// program that was written with the resource does without all of that.
#pragma once

#include <filesystem>
#include <string>

#include "whatif/route_session.hpp"

namespace mallard::whatif {

// Seconds for a block, from its birth to its death, beside what the hook takes that routes nothing
// and what the resource takes itself: of blocks that are allocated and freed in a loop by
// `program`, which has to be this one, with the library preloaded. 0 where it cannot be measured.
// Effects: what the session is prepared for is something else then.
double measure_route_cost(const std::filesystem::path& program, const std::string& library,
                          route_session& session);

}  // namespace mallard::whatif
