#include "process/temporary_place.hpp"

#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace mallard::process {

std::filesystem::path temporary_place() {
  const char* const named = std::getenv("TMPDIR");
  const std::filesystem::path out = named == nullptr || *named == '\0' ? "/tmp" : named;
  std::error_code problem;
  if (std::filesystem::is_directory(out, problem)) return std::filesystem::absolute(out);
  if (!problem) problem = std::make_error_code(std::errc::not_a_directory);
  throw std::runtime_error(out.string() + ": is not a folder for temporary files (" +
                           problem.message() + "): set TMPDIR to an existing folder");
}

std::string no_temporary_file(const std::filesystem::path& file, const std::string& why) {
  return file.parent_path().string() + ": no temporary file can be made there (" + why +
         "): set TMPDIR to another folder";
}

}  // namespace mallard::process
