#include "lab/measuring/machine.hpp"

#include <fmt/chrono.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <fstream>

namespace mallard::lab {
namespace {

std::uint64_t system_value(int name) {
  const long value = sysconf(name);
  return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != line.npos) return line.substr(colon + 2);
  }
  return "unknown";
}

}  // namespace

machine_info this_machine() {
  machine_info machine;
  machine.cpu = cpu_name();
  machine.cores = static_cast<unsigned>(system_value(_SC_NPROCESSORS_ONLN));
  machine.page_bytes = system_value(_SC_PAGESIZE);
  machine.memory_bytes = system_value(_SC_PHYS_PAGES) * machine.page_bytes;
  utsname system{};
  if (uname(&system) == 0) machine.kernel = fmt::format("{} {}", system.sysname, system.release);
  machine.transparent_hugepages =
      chosen_word(read_line("/sys/kernel/mm/transparent_hugepage/enabled").value_or(""));
  machine.l1d_bytes = system_value(_SC_LEVEL1_DCACHE_SIZE);
  machine.l2_bytes = system_value(_SC_LEVEL2_CACHE_SIZE);
  machine.l3_bytes = system_value(_SC_LEVEL3_CACHE_SIZE);
  return machine;
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::optional<std::string> read_line(const char* path) {
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  return line;
}

std::string chosen_word(std::string_view line) {
  const auto open = line.find('[');
  const auto shut = line.find(']');
  if (open == line.npos || shut == line.npos || shut < open) return "unknown";
  return std::string(line.substr(open + 1, shut - open - 1));
}

}  // namespace mallard::lab
