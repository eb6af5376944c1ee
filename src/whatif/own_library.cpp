#include "whatif/own_library.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "lab/measuring/mallocs.hpp"
#include "lab/measuring/usage_error.hpp"
#include "process/preloadable.hpp"

namespace mallard::whatif {

namespace fs = std::filesystem;

std::string preload_of(const std::string& library) {
  const char* const others = std::getenv("LD_PRELOAD");
  return others == nullptr || *others == '\0' ? library : library + ':' + others;
}

std::string find_own_library(std::string_view name) {
  const fs::path here = lab::own_program().parent_path();
  if (here.empty()) {
    throw lab::usage_error("/proc is not mounted, so this program cannot find its libraries");
  }
  // Look where it is installed, then where it is built.
  std::vector<fs::path> folders = {here.parent_path() / MALLARD_LIBRARY_FOLDER, here};
  for (const fs::path& built : {here.parent_path(), here.parent_path().parent_path()}) {
    folders.push_back(built / "src/recorder");
    folders.push_back(built / "src/route");
    folders.push_back(built / "src/live");
    folders.push_back(built / "src/density");
  }
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    if (fs::is_regular_file(folder / name, ignored))
      return process::preloadable(fs::canonical(folder / name));
  }
  throw lab::usage_error(
      fmt::format("{} is neither in {} nor beside this program", name,
                  (here.parent_path() / MALLARD_LIBRARY_FOLDER).lexically_normal().string()));
}

}  // namespace mallard::whatif
