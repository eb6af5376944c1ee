// The mallocs that can be measured by preloading them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measuring/peers.hpp"

namespace mallard::lab {

struct malloc_library {
  std::string name;
  std::filesystem::path file;  // empty: the system's own, nothing is preloaded
};

struct malloc_list {
  std::vector<malloc_library> found;  // the system's own first
  std::vector<skipped_peer> missing;
};

// The C library's, ours (beside the program, where it is built or installed, and where libraries
// are), and those of other projects that Debian and others install.
malloc_list find_mallocs(const std::filesystem::path& program);

// Finds one of those by a name that any of them has ("tcmalloc" or "tcmalloc_minimal"), or a file
// that is a shared library. Throws usage_error with one line that names the option.
malloc_library find_malloc(std::string_view option, std::string_view wanted,
                           const malloc_list& all);

// Folders with libraries: those of the environment first, then the system's.
std::vector<std::filesystem::path> library_folders();

// The program that is running.
std::filesystem::path own_program();

}  // namespace mallard::lab
