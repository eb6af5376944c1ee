#include "cli/preload.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "cli/usage_error.hpp"
#include "lab/malloc_library.hpp"

namespace mallard::cli {
namespace {

namespace fs = std::filesystem;

// Set for the process that is started anew: what it was to be started with.
constexpr const char* marker = "MALLARD_PRELOADED";

struct known_malloc {
  std::string_view name;
  std::vector<std::string_view> files;  // the newest first
};

const std::vector<known_malloc>& known_mallocs() {
  static const std::vector<known_malloc> all = {
      {"jemalloc", {"libjemalloc.so.2", "libjemalloc.so.1"}},
      {"mimalloc", {"libmimalloc.so.3", "libmimalloc.so.2.0", "libmimalloc.so.2"}},
      {"tcmalloc", {"libtcmalloc.so.4", "libtcmalloc_minimal.so.4"}},
      {"tbbmalloc", {"libtbbmalloc_proxy.so.2", "libtbbmalloc_proxy.so"}},
  };
  return all;
}

std::vector<fs::path> library_folders() {
  std::vector<fs::path> folders = {"/usr/local/lib", "/usr/lib64", "/usr/lib"};
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/usr/lib", ignored)) {
    if (entry.path().filename().string().find("-linux-gnu") != std::string::npos) {
      folders.push_back(entry.path());
    }
  }
  return folders;
}

fs::path find_known(const known_malloc& wanted) {
  for (const std::string_view file : wanted.files) {
    for (const fs::path& folder : library_folders()) {
      if (fs::is_regular_file(folder / file)) return folder / file;
    }
  }
  throw usage_error(fmt::format("--malloc: {} is not installed: no {} in /usr/lib and the like",
                                wanted.name, wanted.files.front()));
}

// The dynamic linker only warns of what it cannot preload.
bool is_elf(const fs::path& file) {
  std::array<char, 4> start{};
  std::ifstream(file, std::ios::binary).read(start.data(), start.size());
  return std::string_view(start.data(), start.size()) ==
         "\x7f"
         "ELF";
}

std::vector<std::string> own_arguments() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  return words;
}

[[noreturn]] void start_anew(const fs::path& library) {
  std::string preload = library.string();
  if (const char* others = std::getenv("LD_PRELOAD"); others && *others != '\0') {
    preload += fmt::format(":{}", others);
  }
  setenv("LD_PRELOAD", preload.c_str(), 1);
  setenv(marker, library.c_str(), 1);
  std::vector<std::string> words = own_arguments();
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv("/proc/self/exe", arguments.data());
  throw std::runtime_error("--malloc: the program cannot be started anew");
}

}  // namespace

fs::path find_malloc(std::string_view wanted) {
  for (const known_malloc& one : known_mallocs()) {
    if (one.name == wanted) return fs::canonical(find_known(one));
  }
  const fs::path file(wanted);
  if (!fs::is_regular_file(file)) {
    throw usage_error(fmt::format(
        "--malloc: '{}' is neither a file nor jemalloc, mimalloc, tcmalloc or tbbmalloc", wanted));
  }
  if (!is_elf(file)) throw usage_error(fmt::format("--malloc: {} is no shared library", wanted));
  return fs::canonical(file);
}

void preload_malloc(const std::string& wanted) {
  if (wanted.empty()) return;
  const fs::path library = find_malloc(wanted);
  if (lab::malloc_file() == library) return;
  const char* tried = std::getenv(marker);
  if (tried && library == tried) {
    throw usage_error(fmt::format("--malloc: {} is preloaded, but malloc still is that of {}",
                                  library.string(), lab::malloc_file().string()));
  }
  start_anew(library);
}

}  // namespace mallard::cli
