// The folder for temporary files.
#pragma once

#include <filesystem>
#include <string>

namespace mallard::process {

// TMPDIR, or /tmp. Throws std::runtime_error, with one line, if that is no folder.
std::filesystem::path temporary_place();

// The message for a file that could not be made there.
std::string no_temporary_file(const std::filesystem::path& file, const std::string& why);

}  // namespace mallard::process
