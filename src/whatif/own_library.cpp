#include "whatif/own_library.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "lab/measuring/mallocs.hpp"
#include "lab/measuring/usage_error.hpp"

namespace mallard::whatif {

namespace fs = std::filesystem;

std::string find_own_library(std::string_view name) {
  const fs::path here = lab::own_program().parent_path();
  std::vector<fs::path> folders = {here, here.parent_path() / "lib", here.parent_path() / "lib64"};
  for (const fs::path& built : {here.parent_path(), here.parent_path().parent_path()}) {
    folders.push_back(built / "src/recorder");
    folders.push_back(built / "src/route");
    folders.push_back(built / "src/live");
  }
  for (const fs::path& folder : lab::library_folders()) folders.push_back(folder);
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    if (fs::is_regular_file(folder / name, ignored)) return fs::canonical(folder / name).string();
    // Where Debian and others put libraries.
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().filename().string().find("-linux-gnu") != std::string::npos &&
          fs::is_regular_file(entry.path() / name, ignored)) {
        return fs::canonical(entry.path() / name).string();
      }
    }
  }
  throw lab::usage_error(
      fmt::format("there is no {} beside this program or where libraries are", name));
}

}  // namespace mallard::whatif
