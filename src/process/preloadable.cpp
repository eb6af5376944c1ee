#include "process/preloadable.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <stdexcept>
#include <system_error>

#include "process/temporary_place.hpp"

namespace mallard::process {

namespace fs = std::filesystem;

std::string preloadable(const fs::path& library) {
  constexpr const char* separators = " :\t\n";
  const std::string name = library.string();
  if (name.find_first_of(separators) == std::string::npos) return name;
  const fs::path folder = temporary_place() / ("mallard-" + std::to_string(getuid()));
  const auto fail = [&](const std::string& why) {
    throw std::runtime_error(name +
                             ": the name has a space or a colon, which needs a link to it, but " +
                             folder.string() + ' ' + why + ": set TMPDIR to another folder");
  };
  if (folder.string().find_first_of(separators) != std::string::npos) fail("has one, too");
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    fail("cannot be made (" + std::generic_category().message(errno) + ')');
  }
  struct stat found{};
  if (lstat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) || found.st_uid != getuid() ||
      (found.st_mode & 022) != 0) {
    fail("is not a folder that only you can write to");
  }
  chmod(folder.c_str(), 0755);  // for programs that run with another user's rights
  std::string file = library.filename().string();
  for (std::size_t at = 0; (at = file.find_first_of(separators, at)) != file.npos;) file[at] = '_';
  const fs::path link = folder / (std::to_string(std::hash<std::string>()(name)) + '-' + file);
  const fs::path target = fs::absolute(library);
  std::error_code failed;
  if (fs::read_symlink(link, failed) != target) {
    fs::remove(link, failed);
    fs::create_symlink(target, link, failed);
    if (failed && fs::read_symlink(link, failed) != target) {
      throw std::system_error(failed, "cannot make " + link.string());
    }
  }
  return link.string();
}

}  // namespace mallard::process
