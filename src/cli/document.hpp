// Documents that the help names.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include "lab/measuring/mallocs.hpp"

namespace mallard::cli {

// The installed file of that name ("ci.md") where the program is installed with its documents, or
// else its place in the sources.
inline std::string document(const std::string& name) {
  namespace fs = std::filesystem;
  const fs::path installed =
      lab::own_program().parent_path().parent_path() / "share/doc/mallard/docs" / name;
  std::error_code missing;
  return fs::exists(installed, missing) ? installed.string() : "docs/" + name;
}

}  // namespace mallard::cli
