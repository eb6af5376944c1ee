// The mallocs that can be measured by preloading them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lab/results.hpp"

namespace mallard::lab {

struct allocator_library {
  std::string name;
  std::filesystem::path file;  // empty: the system's own, nothing is preloaded
};

struct allocator_list {
  std::vector<allocator_library> found;
  std::vector<skipped_peer> missing;
};

// glibc, ours (beside the program, where it is built or installed, and where libraries are), and
// those of other projects that Debian and others install.
allocator_list find_allocators(const std::filesystem::path& program);

// Folders with libraries: those of the environment first, then the system's.
std::vector<std::filesystem::path> library_folders();

// The program that is running.
std::filesystem::path own_program();

}  // namespace mallard::lab
