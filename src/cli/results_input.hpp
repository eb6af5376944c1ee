// Reading result files for a command.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

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

// For a command that reads traces, too: the message says that the file is neither.
inline lab::result_file read_results_or_refuse(const std::filesystem::path& path) {
  try {
    return read_results(path);
  } catch (const lab::not_a_result_file& problem) {
    throw std::runtime_error(fmt::format("{}; nor is it a trace or heap profile", problem.what()));
  }
}

}  // namespace mallard::cli
