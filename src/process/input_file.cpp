#include "process/input_file.hpp"

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace mallard::process {

std::ifstream open_input(const std::string& path, std::string_view wanted) {
  // A folder opens without an error and then reads as an empty file.
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw std::runtime_error(path + ": a folder, not " + std::string(wanted));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": " + std::generic_category().message(errno));
  return file;
}

}  // namespace mallard::process
