#include "lab/measuring/malloc_library.hpp"

#include <dlfcn.h>

#include <string_view>
#include <system_error>

namespace mallard::lab {

std::filesystem::path malloc_file() {
  // By name, as the dynamic linker resolves it for everyone, operator new included.
  const void* found = dlsym(RTLD_DEFAULT, "malloc");
  Dl_info where{};
  if (!found || dladdr(found, &where) == 0 || !where.dli_fname) return {};
  std::error_code ignored;
  const auto real = std::filesystem::canonical(where.dli_fname, ignored);
  return ignored ? std::filesystem::path(where.dli_fname) : real;
}

std::string library_name(const std::filesystem::path& file) {
  std::string name = file.filename().string();
  if (const auto end = name.find(".so"); end != name.npos) name.resize(end);
  if (name.starts_with("lib")) name.erase(0, 3);
  // Our libraries' names contain what they replace.
  if (name.starts_with("mallard-malloc")) name.erase(name.find("-malloc"), 7);
  // Builds of a malloc with fewer parts, or with a front end that replaces malloc.
  for (const std::string_view suffix : {"_minimal", "_proxy"}) {
    if (name.ends_with(suffix)) name.erase(name.size() - suffix.size());
  }
  return name;
}

std::string malloc_name() {
  return malloc_name(malloc_file());
}

std::string malloc_name(const std::filesystem::path& file) {
  const std::string name = library_name(file);
  return name.empty() || name == "c" || name.starts_with("c-") ? "glibc" : name;
}

bool malloc_is_replaced() {
  return malloc_name() != "glibc";
}

}  // namespace mallard::lab
