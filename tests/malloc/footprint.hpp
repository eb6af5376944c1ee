// The machine's memory that the process holds, as the system has it.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstring>

namespace malloc_test {

// A line of /proc/self/status, say "VmRSS", in bytes; 0 when there is none. Allocates nothing
// itself, but the C library may for its file.
inline std::size_t status_bytes(const char* name) {
  std::size_t bytes = 0;
  if (std::FILE* const f = std::fopen("/proc/self/status", "r")) {
    char line[256];
    const std::size_t length = std::strlen(name);
    while (std::fgets(line, sizeof line, f) != nullptr) {
      unsigned long kib = 0;
      if (std::strncmp(line, name, length) == 0 && line[length] == ':' &&
          std::sscanf(line + length + 1, "%lu", &kib) == 1) {
        bytes = std::size_t{kib} << 10;
      }
    }
    std::fclose(f);
  }
  return bytes;
}

inline std::size_t resident_bytes() {
  return status_bytes("VmRSS");
}

}  // namespace malloc_test
