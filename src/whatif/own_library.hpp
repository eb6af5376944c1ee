// The libraries that this program preloads to others.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mallard::whatif {

// Its path: in the folder of the installation that is the command's own, beside the program, or
// where it is built. Throws
// lab::usage_error with one line when it is nowhere.
std::string find_own_library(std::string_view name);

// LD_PRELOAD with that library before what is preloaded already.
std::string preload_of(const std::string& library);

// A name of the library that LD_PRELOAD can have: that has no way to write a space or a colon, so
// such a library gets a link in a folder of temporary files that is this user's alone. Links stay,
// since programs that were started may start others later. Throws std::runtime_error with one line.
std::string preloadable(const std::filesystem::path& library);

}  // namespace mallard::whatif
