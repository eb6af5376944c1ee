// Reading result files for a command.
#pragma once

#include <filesystem>

#include "lab/results/results.hpp"

namespace mallard::cli {

// Loads the file and prints its warnings. Throws std::runtime_error as load_results does.
lab::result_file read_results(const std::filesystem::path& path);

}  // namespace mallard::cli
