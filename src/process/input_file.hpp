// Files that the user names.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

namespace mallard::process {

// Opens the file, whose first byte comes next. Throws std::runtime_error, with one line, if it
// cannot be read, or is a folder instead of what is `wanted`, like "a budget".
std::ifstream open_input(const std::string& path, std::string_view wanted);

}  // namespace mallard::process
