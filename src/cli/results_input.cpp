#include "cli/results_input.hpp"

#include <fmt/format.h>

namespace mallard::cli {

lab::result_file read_results(const std::filesystem::path& path) {
  lab::result_file file = lab::load_results(path);
  for (const std::string& warning : file.warnings) {
    fmt::print(stderr, "mallard: warning: {}\n", warning);
  }
  return file;
}

}  // namespace mallard::cli
