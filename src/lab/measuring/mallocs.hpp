// The mallocs that can be measured by preloading.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measuring/peers.hpp"

namespace mallard::lab {

struct malloc_library {
  std::string name;
  std::filesystem::path file;  // empty: the system's own; nothing is preloaded
  bool only_by_name = false;   // "all" leaves it out: a variant for other ends than speed or safety
};

struct malloc_list {
  std::vector<malloc_library> found;  // the system's own first
  std::vector<skipped_peer> missing;
};

// The C library's, ours (beside the program if built or installed, and in the libraries' folders),
// and other projects', as Debian and others install them.
malloc_list find_mallocs(const std::filesystem::path& program);

// Finds a malloc by any of its names ("tcmalloc" or "tcmalloc_minimal"), by the file of a shared
// library, or by NAME=FILE, which names it. Throws usage_error, with one line that names the
// option.
malloc_library find_malloc(std::string_view option, std::string_view wanted,
                           const malloc_list& all);

// The mallocs that find_malloc finds for each word, or for "all" those that are there and not only
// for who names them; of two of one name, the later. Lists what is missing if all were wanted.
malloc_list choose_mallocs(std::string_view option, const std::vector<std::string>& wanted,
                           const malloc_list& all);

// Folders with libraries: the environment's first, then the system's.
std::vector<std::filesystem::path> library_folders();

// The file of the running program.
std::filesystem::path own_program();

}  // namespace mallard::lab
