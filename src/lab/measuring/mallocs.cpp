#include "lab/measuring/mallocs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "lab/measuring/contender.hpp"
#include "lab/measuring/malloc_library.hpp"
#include "lab/measuring/usage_error.hpp"

namespace mallard::lab {
namespace {

namespace fs = std::filesystem;

struct known_malloc {
  std::string_view name;
  std::string_view also;                  // an alias; empty: none
  std::array<std::string_view, 3> files;  // in order of preference
  bool ours;
  bool only_by_name = false;
};
constexpr known_malloc known[] = {
    {"mallard", "", {"libmallard-malloc.so"}, true},
    {"mallard-hardened", "", {"libmallard-malloc-hardened.so"}, true},
    {"mallard-sticky", "", {"libmallard-malloc-sticky.so"}, true, true},
    {"jemalloc", "", {"libjemalloc.so.2", "libjemalloc.so.1"}, false},
    {"tcmalloc", "tcmalloc_minimal", {"libtcmalloc_minimal.so.4", "libtcmalloc.so.4"}, false},
    {"mimalloc", "", {"libmimalloc.so.3", "libmimalloc.so.2.0", "libmimalloc.so.2"}, false},
    {"tbbmalloc", "", {"libtbbmalloc_proxy.so.2", "libtbbmalloc_proxy.so"}, false},
};

// Folders of our own library, beside a program just built or installed.
std::vector<fs::path> own_folders(const fs::path& program) {
  const fs::path here = program.parent_path();
  const fs::path above = here.parent_path();
  return {here, above / "src/malloc", above / "src", above / "lib", above / "lib64"};
}

fs::path find_file(const known_malloc& wanted, const std::vector<fs::path>& folders) {
  for (const std::string_view file : wanted.files) {
    if (file.empty()) break;
    for (const fs::path& folder : folders) {
      std::error_code ignored;
      if (fs::is_regular_file(folder / file, ignored)) return fs::canonical(folder / file, ignored);
    }
  }
  return {};
}

// The dynamic linker only warns about files that it cannot preload.
bool is_elf(const fs::path& file) {
  std::array<char, 4> start{};
  std::ifstream(file, std::ios::binary).read(start.data(), start.size());
  return std::string_view(start.data(), start.size()) ==
         "\x7f"
         "ELF";
}

std::string_view usual_name(std::string_view name) {
  for (const known_malloc& one : known) {
    if (!one.also.empty() && one.also == name) return one.name;
  }
  return name;
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

malloc_list find_mallocs(const fs::path& program) {
  malloc_list list;
  list.found.push_back({std::string(system_malloc), {}});
  const std::vector<fs::path> everywhere = library_folders();
  for (const known_malloc& one : known) {
    std::vector<fs::path> folders;
    if (one.ours) folders = own_folders(program);
    folders.insert(folders.end(), everywhere.begin(), everywhere.end());
    const fs::path file = find_file(one, folders);
    if (file.empty() && one.only_by_name) continue;
    if (file.empty()) {
      list.missing.push_back({std::string(one.name), fmt::format("there is no {}", one.files[0])});
    } else {
      list.found.push_back({std::string(one.name), file, one.only_by_name});
    }
  }
  return list;
}

malloc_library find_malloc(std::string_view option, std::string_view wanted,
                           const malloc_list& all) {
  std::error_code ignored;
  const std::size_t equals = wanted.find('=');
  if (equals != wanted.npos && equals != 0 && !fs::exists(wanted, ignored)) {
    malloc_library named = find_malloc(option, wanted.substr(equals + 1), all);
    named.name = wanted.substr(0, equals);
    return named;
  }
  const std::string_view name = usual_name(wanted);
  for (const malloc_library& one : all.found) {
    if (one.name == name) return one;
  }
  for (const skipped_peer& one : all.missing) {
    if (one.peer == name) {
      throw usage_error(fmt::format("{}: '{}' is not available: {}", option, wanted, one.reason));
    }
  }
  const fs::path file(wanted);
  if (!fs::is_regular_file(file, ignored)) {
    std::string names;
    for (const malloc_library& one : all.found) names += one.name + ", ";
    throw usage_error(fmt::format("{}: unknown value '{}' (known: {}or a shared library's file)",
                                  option, wanted, names));
  }
  if (!is_elf(file)) throw usage_error(fmt::format("{}: {} is no shared library", option, wanted));
  return {malloc_name(fs::canonical(file)), fs::canonical(file)};
}

malloc_list choose_mallocs(std::string_view option, const std::vector<std::string>& wanted,
                           const malloc_list& all) {
  malloc_list chosen;
  const auto add = [&](const malloc_library& one) {
    std::erase_if(chosen.missing, [&](const auto& other) { return other.peer == one.name; });
    for (malloc_library& other : chosen.found) {
      if (other.name == one.name) {
        other = one;
        return;
      }
    }
    chosen.found.push_back(one);
  };
  for (const std::string& word : wanted) {
    if (word == "all") {
      chosen.missing = all.missing;
      for (const malloc_library& one : all.found) {
        if (!one.only_by_name) add(one);
      }
    } else {
      add(find_malloc(option, word, all));
    }
  }
  return chosen;
}

}  // namespace mallard::lab
