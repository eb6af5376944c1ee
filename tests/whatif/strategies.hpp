// The strategies that blocks can be routed to.
#pragma once

#include <string>
#include <vector>

namespace mallard_test {

inline const std::vector<std::string> strategies = {
    "monotonic", "multipool", "multipool-on-monotonic", "heap", "adaptive-pool"};

}  // namespace mallard_test
