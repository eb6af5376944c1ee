// The libraries that this program preloads to others.
#pragma once

#include <string>
#include <string_view>

namespace mallard::whatif {

// Its path: in the folder of the installation that is the command's own, beside the program, or
// where it is built. Throws lab::usage_error with one line when it is nowhere.
std::string find_own_library(std::string_view name);

// LD_PRELOAD with that library before what is preloaded already.
std::string preload_of(const std::string& library);

}  // namespace mallard::whatif
