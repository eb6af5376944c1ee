#include "lab/private_heap.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace mallard::lab {
namespace {

struct region {
  char* begin = nullptr;
  std::size_t bytes = 0;
};

// The line of /proc/self/maps that is marked as the heap: "from-to rw-p ... [heap]". Read without
// allocating, because allocating may move the end of the heap.
region find_heap() {
  char line[512];
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  if (!maps) return {};
  region found;
  while (std::fgets(line, sizeof line, maps)) {
    unsigned long long from = 0;
    unsigned long long to = 0;
    if (std::strstr(line, "[heap]") && std::sscanf(line, "%llx-%llx", &from, &to) == 2) {
      found = {reinterpret_cast<char*>(static_cast<std::uintptr_t>(from)),
               static_cast<std::size_t>(to - from)};
    }
  }
  std::fclose(maps);
  return found;
}

}  // namespace

void make_heap_private() {
  const region heap = find_heap();
  if (heap.bytes == 0) return;
#ifdef MADV_POPULATE_WRITE
  if (madvise(heap.begin, heap.bytes, MADV_POPULATE_WRITE) == 0) return;
#endif
  // An older kernel: write to each page what is there.
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (std::size_t at = 0; at < heap.bytes; at += page) {
    volatile char& byte = heap.begin[at];
    const char value = byte;
    byte = value;
  }
}

}  // namespace mallard::lab
