// The folder for files that are gone when the command is.
#pragma once

#include <filesystem>
#include <string>

namespace mallard::profile {

// TMPDIR, or /tmp. Throws std::runtime_error, in one line, where that is no folder.
std::filesystem::path temporary_place();

// The line for a file that could not be made there.
std::string no_temporary_file(const std::filesystem::path& file, const std::string& why);

}  // namespace mallard::profile
