#include "process/temporary_place.hpp"

#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace mallard::process {

std::filesystem::path temporary_place() {
  std::error_code problem;
  std::filesystem::path out = std::filesystem::temp_directory_path(problem);
  if (!problem) return out;
  const char* const named = std::getenv("TMPDIR");
  throw std::runtime_error(std::string(named == nullptr ? "/tmp" : named) +
                           ": is not a folder for temporary files (" + problem.message() +
                           "): set TMPDIR to an existing folder");
}

std::string no_temporary_file(const std::filesystem::path& file, const std::string& why) {
  return file.parent_path().string() + ": no temporary file can be made there (" + why +
         "): set TMPDIR to another folder";
}

}  // namespace mallard::process
