// The libraries that this program preloads to others.
#pragma once

#include <string>
#include <string_view>

namespace mallard::whatif {

// Its path: beside the program, where it is built or installed, and where libraries are. Throws
// lab::usage_error with one line when it is nowhere.
std::string find_own_library(std::string_view name);

}  // namespace mallard::whatif
