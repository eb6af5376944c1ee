#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "mallard/detail/os/memory_amounts.hpp"

namespace mallard::inline v1::detail::os {
namespace {

constexpr std::size_t most_text = 4096;

// Returns the bytes; a zero follows. The C library's functions are points at which a thread may be
// cancelled.
std::size_t read_text(const char* path, char* text, std::size_t room) noexcept {
  text[0] = 0;
  const long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const long got = syscall(SYS_read, file, text, room - 1);
  syscall(SYS_close, file);
  if (got <= 0) return 0;
  text[got] = 0;
  return static_cast<std::size_t>(got);
}

// `otherwise` where there is no file, no number at its beginning, or 0.
std::size_t number_in(const char* path, std::size_t otherwise) noexcept {
  std::array<char, 32> text;
  read_text(path, text.data(), text.size());
  std::size_t number = 0;
  for (const char* c = text.data(); *c >= '0' && *c <= '9'; ++c) {
    number = 10 * number + static_cast<std::size_t>(*c - '0');
  }
  return number == 0 ? otherwise : number;
}

// The least limit of a group and those around it, by a line of /proc/self/cgroup: a number,
// controllers and a path, with colons between them. A container may see its own group's files at
// the root alone. `path` has room for `most_text`.
std::size_t limit_of_group(const char* line, char* path) noexcept {
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
  if (length + strlen(file) >= most_text) return SIZE_MAX;
  strcpy(path, root);
  strcpy(path + root_length, group + 1);
  for (std::size_t least = SIZE_MAX;;) {
    while (length > root_length && path[length - 1] == '/') --length;
    strcpy(path + length, file);
    const std::size_t limit = number_in(path, SIZE_MAX);
    if (limit < least) least = limit;
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
  return number_in("/proc/sys/vm/max_map_count", 65'530);
}

std::size_t most_memory() noexcept {
  const int error = errno;
  constexpr std::size_t bytes = 2 * most_text;
  void* const place =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto* const text = static_cast<char*>(place);
  std::size_t least = physical_memory_bytes();
  if (place != MAP_FAILED && read_text("/proc/self/cgroup", text, most_text) != 0) {
    for (char* line = text; line != nullptr;) {
      char* const next = strchr(line, '\n');
      if (next != nullptr) *next = 0;
      const std::size_t limit = limit_of_group(line, text + most_text);
      if (limit < least) least = limit;
      line = next == nullptr ? nullptr : next + 1;
    }
  }
  if (place != MAP_FAILED) munmap(place, bytes);
  errno = error;
  return least;
}

// The thread's own figures, so that the system sums up no others; memory is the process's.
std::size_t peak_resident_bytes() noexcept {
  rusage used{};
  return getrusage(RUSAGE_THREAD, &used) == 0 ? static_cast<std::size_t>(used.ru_maxrss) * 1024
                                              : SIZE_MAX;
}

}  // namespace mallard::inline v1::detail::os
