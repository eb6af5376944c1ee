// Documents that the help names.
#pragma once

#include <string>

namespace mallard::cli {

// The installed file of that name ("ci.md") where the program is installed with its documents, or
// else its place in the sources.
std::string document(const std::string& name);

}  // namespace mallard::cli
