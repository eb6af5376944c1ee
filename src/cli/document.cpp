#include "cli/document.hpp"

#include <filesystem>
#include <system_error>

#include "lab/measuring/mallocs.hpp"

namespace mallard::cli {

std::string document(const std::string& name) {
  namespace fs = std::filesystem;
  const fs::path installed =
      lab::own_program().parent_path().parent_path() / "share/doc/mallard/docs" / name;
  std::error_code missing;
  return fs::exists(installed, missing) ? installed.string() : "docs/" + name;
}

}  // namespace mallard::cli
