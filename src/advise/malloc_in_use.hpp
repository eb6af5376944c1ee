// The malloc that a recorded program ran on.
#pragma once

#include <filesystem>

#include "profile/trace/trace_reader.hpp"

namespace mallard::advise {

// Returns: the file of the module whose malloc all modules call; empty for the C library's, or if
// the files of the recorded modules are not here.
std::filesystem::path malloc_in_use(const profile::trace_reader& trace);

}  // namespace mallard::advise
