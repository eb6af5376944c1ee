#include <fcntl.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>

#include "mallard/detail/os/memory_amounts.hpp"

namespace mallard::inline v1::detail::os {

std::size_t physical_memory_bytes() noexcept {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(bytes)
                                : 0;
}

std::size_t most_addresses() noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ? SIZE_MAX
                                                                              : limit.rlim_cur;
}

bool has_limited_addresses() noexcept {
  rlimit limit{};
  const bool of_data = getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
  return of_data || most_addresses() != SIZE_MAX;
}

std::size_t most_mappings() noexcept {
  std::array<char, 32> text{};
  const int file = open("/proc/sys/vm/max_map_count", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    if (read(file, text.data(), text.size() - 1) < 0) text[0] = 0;
    close(file);
  }
  std::size_t count = 0;
  for (const char* c = text.data(); *c >= '0' && *c <= '9'; ++c) {
    count = 10 * count + static_cast<std::size_t>(*c - '0');
  }
  return count == 0 ? 65'530 : count;
}

// The thread's own figures, so that the system sums up no others; memory is the process's.
std::size_t peak_resident_bytes() noexcept {
  rusage used{};
  return getrusage(RUSAGE_THREAD, &used) == 0 ? static_cast<std::size_t>(used.ru_maxrss) * 1024
                                              : SIZE_MAX;
}

}  // namespace mallard::inline v1::detail::os
