// Libraries for LD_PRELOAD.
#pragma once

#include <filesystem>
#include <string>

namespace mallard::process {

// A name of the library that LD_PRELOAD can have: that has no way to write a space or a colon, so
// such a library gets a link in a folder of temporary files that is this user's alone. Links stay,
// since programs that were started may start others later. Throws std::runtime_error with one line.
std::string preloadable(const std::filesystem::path& library);

}  // namespace mallard::process
