// Running the measuring processes on another malloc.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mallard::cli {

// Returns when this process runs on the library. Else starts the program anew, with the same
// arguments and the library preloaded, in place of this process; throws when that does not help.
// Call it before there is anything to lose. Does nothing when nothing is wanted.
void preload_malloc(const std::string& wanted);

}  // namespace mallard::cli
