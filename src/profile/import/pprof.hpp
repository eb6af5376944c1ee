// Heap profiles of pprof (profile.proto, as Go, tcmalloc and jemalloc's bindings write them, and
// `mallard export --to pprof`), compressed or not.
#pragma once

#include <string>

#include "profile/import/summed_profile.hpp"

namespace mallard::profile {

// Whether the file is one: it is read as a whole. False for files that cannot be read.
bool is_pprof(const std::string& path);

// Throws std::runtime_error, in one line, if the file cannot be read, is damaged, or is a profile
// of something else than memory.
summed_profile read_pprof(const std::string& path);

}  // namespace mallard::profile
