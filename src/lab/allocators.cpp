#include "lab/allocators.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>
#include <system_error>

namespace mallard::lab {
namespace {

namespace fs = std::filesystem;

struct known_library {
  std::string_view name;
  std::string_view file;
  bool ours;
};
constexpr known_library known[] = {
    {"mallard", "libmallard-malloc.so", true},
    {"mallard-hardened", "libmallard-malloc-hardened.so", true},
    {"jemalloc", "libjemalloc.so.2", false},
    {"tcmalloc_minimal", "libtcmalloc_minimal.so.4", false},
    {"mimalloc", "libmimalloc.so.2", false},
    {"tbbmalloc", "libtbbmalloc_proxy.so.2", false},
};

// Where ours is, beside a program that was just built or installed.
std::vector<fs::path> own_folders(const fs::path& program) {
  const fs::path here = program.parent_path();
  const fs::path above = here.parent_path();
  return {here, above / "src/malloc", above / "src", above / "lib", above / "lib64"};
}

}  // namespace

fs::path own_program() {
  std::error_code ignored;
  return fs::canonical("/proc/self/exe", ignored);
}

std::vector<fs::path> library_folders() {
  std::vector<fs::path> folders;
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) {
    std::istringstream parts(path);
    for (std::string one; std::getline(parts, one, ':');) {
      if (!one.empty()) folders.emplace_back(one);
    }
  }
  folders.insert(folders.end(), {"/usr/local/lib", "/usr/lib64", "/usr/lib"});
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/usr/lib", ignored)) {
    if (entry.path().filename().string().find("-linux-gnu") != std::string::npos) {
      folders.push_back(entry.path());
    }
  }
  return folders;
}

allocator_list find_allocators(const fs::path& program) {
  allocator_list list;
  list.found.push_back({"glibc", {}});
  const std::vector<fs::path> everywhere = library_folders();
  for (const known_library& one : known) {
    std::vector<fs::path> folders;
    if (one.ours) folders = own_folders(program);
    folders.insert(folders.end(), everywhere.begin(), everywhere.end());
    fs::path file;
    for (const fs::path& folder : folders) {
      std::error_code ignored;
      if (file.empty() && fs::is_regular_file(folder / one.file, ignored)) {
        file = fs::canonical(folder / one.file, ignored);
      }
    }
    if (file.empty()) {
      list.missing.push_back({std::string(one.name), fmt::format("there is no {}", one.file)});
    } else {
      list.found.push_back({std::string(one.name), file});
    }
  }
  return list;
}

}  // namespace mallard::lab
