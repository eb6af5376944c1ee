#include "whatif/own_library.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "lab/measuring/mallocs.hpp"
#include "lab/measuring/usage_error.hpp"
#include "profile/temporary_place.hpp"

namespace mallard::whatif {

namespace fs = std::filesystem;

std::string preloadable(const fs::path& library) {
  const std::string name = library.string();
  if (name.find_first_of(" :\t\n") == std::string::npos) return name;
  const fs::path folder = profile::temporary_place() / fmt::format("mallard-{}", getuid());
  struct stat found{};
  if ((mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) || lstat(folder.c_str(), &found) != 0 ||
      !S_ISDIR(found.st_mode) || found.st_uid != getuid() || (found.st_mode & 022) != 0) {
    throw std::runtime_error(
        fmt::format("{}: the name has a space or a colon, which needs a link to it, but {} is not "
                    "a folder that only you can write to",
                    name, folder.string()));
  }
  const fs::path link =
      folder / fmt::format("{:x}-{}", std::hash<std::string>()(name), library.filename().string());
  std::error_code failed;
  if (fs::read_symlink(link, failed) != library) {
    fs::remove(link, failed);
    fs::create_symlink(library, link, failed);
    if (failed && fs::read_symlink(link, failed) != library) {
      throw std::system_error(failed, "cannot make " + link.string());
    }
  }
  return link.string();
}

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
      return preloadable(fs::canonical(folder / name));
  }
  throw lab::usage_error(
      fmt::format("{} is neither in {} nor beside this program", name,
                  (here.parent_path() / MALLARD_LIBRARY_FOLDER).lexically_normal().string()));
}

}  // namespace mallard::whatif
