// Reading result files for a command.
#pragma once

#include <fmt/format.h>

#include <filesystem>

#include "lab/results/results.hpp"

namespace mallard::cli {

// Loads the file and prints its warnings. Throws std::runtime_error as load_results does.
inline lab::result_file read_results(const std::filesystem::path& path) {
  lab::result_file file = lab::load_results(path);
  for (const std::string& warning : file.warnings) {
    fmt::print(stderr, "mallard: warning: {}\n", warning);
  }
  return file;
}

}  // namespace mallard::cli
