#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "mallard/detail/os/memory_amounts.hpp"

namespace mallard::inline v1::detail::os {
namespace {

constexpr std::size_t most_text = 4096;

// Returns the bytes; a zero follows. Keeps errno. The C library's functions are points at which a
// thread may be cancelled.
std::size_t read_text(const char* path, char* text, std::size_t room) noexcept {
  const int error = errno;
  long got = 0;
  const long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file >= 0) {
    got = syscall(SYS_read, file, text, room - 1);
    syscall(SYS_close, file);
  }
  errno = error;
  const auto bytes = got > 0 ? static_cast<std::size_t>(got) : 0;
  text[bytes] = 0;
  return bytes;
}

// The number at the beginning of a file. 0: there is no such file; SIZE_MAX: none that fits.
std::size_t number_in(const char* path) noexcept {
  std::array<char, 32> text;
  if (read_text(path, text.data(), text.size()) == 0) return 0;
  std::size_t number = 0;
  const char* c = text.data();
  for (; *c >= '0' && *c <= '9' && number < SIZE_MAX / 10 - 1; ++c) {
    number = 10 * number + static_cast<std::size_t>(*c - '0');
  }
  return c == text.data() || (*c >= '0' && *c <= '9') ? SIZE_MAX : number;
}

// The least limit of a group and those around it, by a line of /proc/self/cgroup: a number,
// controllers and a path, with colons between them. SIZE_MAX: it does not limit memory. The root
// has no limit, but in a container its files may be those of the container's group.
std::size_t limit_of_group(const char* line) noexcept {
  const char* const controllers = strchr(line, ':');
  const char* const group = controllers == nullptr ? nullptr : strchr(controllers + 1, ':');
  if (group == nullptr) return SIZE_MAX;
  const bool unified = group == controllers + 1;
  const char* const memory = strstr(controllers, "memory");
  if (!unified && (memory == nullptr || memory > group)) return SIZE_MAX;
  const char* const root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
  const char* const file = unified ? "/memory.max" : "/memory.limit_in_bytes";
  const std::size_t root_length = strlen(root);
  std::size_t length = root_length + strlen(group + 1);
  std::array<char, most_text> path;
  if (length + strlen(file) >= path.size()) return SIZE_MAX;
  strcpy(path.data(), root);
  strcpy(path.data() + root_length, group + 1);
  std::size_t least = SIZE_MAX;
  for (bool is_known = false;;) {
    while (length > root_length && path[length - 1] == '/') --length;
    if (length <= root_length && is_known) return least;
    strcpy(path.data() + length, file);
    const std::size_t limit = number_in(path.data());
    is_known |= limit != 0;
    if (limit != 0 && limit < least) least = limit;
    if (length <= root_length) return least;
    while (path[length - 1] != '/') --length;
  }
}

}  // namespace

std::size_t physical_memory_bytes() noexcept {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(bytes)
                                : 0;
}

std::size_t most_addresses() noexcept {
  std::size_t least = SIZE_MAX;
  for (const auto which : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit{};
    if (getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) continue;
    if (limit.rlim_cur < least) least = limit.rlim_cur;
  }
  return least;
}

std::size_t most_mappings() noexcept {
  const std::size_t count = number_in("/proc/sys/vm/max_map_count");
  return count == 0 || count == SIZE_MAX ? usual_mappings : count;
}

std::size_t most_memory() noexcept {
  std::size_t least = physical_memory_bytes();
  std::array<char, most_text> text;
  read_text("/proc/self/cgroup", text.data(), text.size());
  for (char* line = text.data(); line != nullptr;) {
    char* const next = strchr(line, '\n');
    if (next != nullptr) *next = 0;
    const std::size_t limit = limit_of_group(line);
    if (limit < least) least = limit;
    line = next == nullptr ? nullptr : next + 1;
  }
  return least;
}

// The thread's own figures, so that the system sums up no others; memory is the process's.
std::size_t peak_resident_bytes() noexcept {
  rusage used{};
  return getrusage(RUSAGE_THREAD, &used) == 0 ? static_cast<std::size_t>(used.ru_maxrss) * 1024
                                              : SIZE_MAX;
}

}  // namespace mallard::inline v1::detail::os
