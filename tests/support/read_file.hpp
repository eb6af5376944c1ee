// The contents of files.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace mallard_test {

// Empty where there is no file.
inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace mallard_test
