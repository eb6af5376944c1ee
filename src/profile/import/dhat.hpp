// Reads the JSON files of Valgrind's DHAT (version 2, heap mode).
#pragma once

#include <string>

#include "profile/import/summed_profile.hpp"

namespace mallard::profile {

// Whether the file begins like one of DHAT's. False if it cannot be read.
bool is_dhat(const std::string& path);

// Throws std::runtime_error, with one line, if the file cannot be read or is no such file.
summed_profile read_dhat(const std::string& path);

}  // namespace mallard::profile
