// The libraries whose resources can be measured: ours, and those it was built against.
#pragma once

#include <string_view>
#include <vector>

#include "lab/results.hpp"

namespace mallard::lab {

// The "peer" of AS1, which uses no library's resources.
inline constexpr std::string_view global_peer = "global";

// "mallard" first, then the others that are built in.
const std::vector<peer_version>& available_peers();

// Those known to the lab that are not built in, and why.
const std::vector<skipped_peer>& missing_peers();

}  // namespace mallard::lab
