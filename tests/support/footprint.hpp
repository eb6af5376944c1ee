// The memory that the test's process holds, as the system has it, and how much it may hold.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "support/require.hpp"

namespace mallard_test {

// A line of /proc/self/status, say "VmRSS", in bytes; 0 when there is none. Allocates nothing.
inline std::size_t status_bytes(const char* name) {
  char text[4096];
  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  text[length < 0 ? 0 : length] = '\0';
  const char* const line = std::strstr(text, name);
  if (line == nullptr) return 0;
  return std::strtoull(line + std::strlen(name) + 1, nullptr, 10) << 10;
}

inline std::size_t resident_bytes() {
  return status_bytes("VmRSS");
}

inline long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

// From now on the system gives this process so many bytes of addresses at most beside those that
// it has.
inline void allow_more_addresses(std::size_t bytes) {
  const rlim_t limit = status_bytes("VmSize") + bytes;
  const rlimit few{limit, limit};
  require(setrlimit(RLIMIT_AS, &few) == 0, "no limit");
}

}  // namespace mallard_test
