// Reads pprof's heap profiles (profile.proto, as Go, tcmalloc, jemalloc's bindings and `mallard
// export --to pprof` write them), compressed or not.
#pragma once

#include <string>

#include "profile/import/summed_profile.hpp"

namespace mallard::profile {

// Whether the file is one; reads all of it. False if it cannot be read.
bool is_pprof(const std::string& path);

// Throws std::runtime_error, with one line, if the file cannot be read, is damaged, or is not about
// memory.
summed_profile read_pprof(const std::string& path);

}  // namespace mallard::profile
