#include "cli/preload.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "cli/usage_error.hpp"
#include "lab/measuring/malloc_library.hpp"
#include "lab/measuring/mallocs.hpp"
#include "process/preloadable.hpp"

namespace mallard::cli {
namespace {

namespace fs = std::filesystem;

// Set for the process that is started anew: what it was to be started with.
constexpr const char* marker = "MALLARD_PRELOADED";

std::vector<std::string> own_arguments() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  return words;
}

[[noreturn]] void start_anew(const fs::path& library) {
  std::string preload = process::preloadable(library);
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
  throw std::runtime_error("--malloc: mallard cannot restart itself");
}

}  // namespace

void preload_malloc(const std::string& wanted) {
  if (wanted.empty()) return;
  const auto mallocs = lab::find_mallocs(lab::own_program());
  const fs::path library = lab::find_malloc("--malloc", wanted, mallocs).file;
  if (library.empty()) {
    if (!lab::malloc_is_replaced()) return;
    throw usage_error(
        fmt::format("--malloc: {} was preloaded and provides malloc", lab::malloc_file().string()));
  }
  if (lab::malloc_file() == library) return;
  const char* tried = std::getenv(marker);
  if (tried && library == tried) {
    throw usage_error(fmt::format("--malloc: {} is preloaded, but malloc still comes from {}",
                                  library.string(), lab::malloc_file().string()));
  }
  start_anew(library);
}

}  // namespace mallard::cli
