// How this program was built, as CMake knew it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/results.hpp"

namespace mallard::lab {

std::string_view mallard_version();

build_info this_build();

// Why figures of this build would mislead (no optimisation, assertions, sanitizers); empty: they
// would not.
std::vector<std::string> build_warnings();

}  // namespace mallard::lab
