#include "advise/malloc_in_use.hpp"

#include <string>
#include <system_error>

#include "profile/record/program_check.hpp"

namespace mallard::advise {

namespace fs = std::filesystem;

// The recorder names the module of malloc before those of stacks.
fs::path malloc_in_use(const profile::trace_reader& trace) {
  if (trace.facts().process.recorder != "mallard record") return {};
  for (const profile::module_info& one : trace.facts().modules) {
    const fs::path file = one.path;
    const std::string name = file.filename().string();
    std::error_code none;
    if (!fs::is_regular_file(file, none) || !profile::defines_malloc(file.string())) continue;
    return name.starts_with("libc.") || name.starts_with("libc-") ? fs::path() : file;
  }
  return {};
}

}  // namespace mallard::advise
