// Reads heap profiles as text: tcmalloc's (HEAPPROFILE, HeapProfilerDump) and jemalloc's
// (prof.dump, prof_final). They contain addresses. Names come from the files of the program and its
// libraries, if these exist and are not younger than the profile.
#pragma once

#include <string>

#include "profile/import/summed_profile.hpp"

namespace mallard::profile {

// Whether the file begins like one. False if it cannot be read.
bool is_heap_profile(const std::string& path);

// Throws std::runtime_error, with one line, if the file cannot be read or is damaged.
summed_profile read_heap_profile(const std::string& path);

}  // namespace mallard::profile
