#include "lab/measuring/private_heap.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
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

// Calls `each` with the regions of /proc/self/maps that may contain a heap: the one marked as the
// heap, "from-to rw-p ... [heap]", or if `anywhere` all private memory without a file. Reads
// without allocating, because allocating may move the heap's end.
template <class Each>
void find_heaps(bool anywhere, const Each& each) {
  char line[512];
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  if (!maps) return;
  while (std::fgets(line, sizeof line, maps)) {
    unsigned long long from = 0;
    unsigned long long to = 0;
    unsigned long long inode = 0;
    char access[8] = {};
    if (std::sscanf(line, "%llx-%llx %7s %*s %*s %llu", &from, &to, access, &inode) != 4) continue;
    const bool marked = std::strstr(line, "[heap]");
    const bool nameless = inode == 0 && std::strcmp(access, "rw-p") == 0 &&
                          !std::strstr(line, "[stack") && !std::strstr(line, "[v");
    if (marked || (anywhere && nameless)) {
      each(region{reinterpret_cast<char*>(static_cast<std::uintptr_t>(from)),
                  static_cast<std::size_t>(to - from)});
    }
  }
  std::fclose(maps);
}

void write_to_pages(const region& pages) {
  if (pages.bytes == 0) return;
#ifdef MADV_POPULATE_WRITE
  if (madvise(pages.begin, pages.bytes, MADV_POPULATE_WRITE) == 0) return;
#endif
  // On an older kernel: write the existing contents to each page.
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (std::size_t at = 0; at < pages.bytes; at += page) {
    volatile char& byte = pages.begin[at];
    const char value = byte;
    byte = value;
  }
}

// Skips untouched pages: a heap may have reserved far more than it uses.
void write_to_resident_pages(const region& all) {
  constexpr std::size_t pages_at_once = 4096;
  static unsigned char resident[pages_at_once];
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (std::size_t done = 0; done < all.bytes; done += pages_at_once * page) {
    const region part{all.begin + done, std::min(all.bytes - done, pages_at_once * page)};
    if (mincore(part.begin, part.bytes, resident) != 0) continue;
    region run;
    for (std::size_t i = 0; i < part.bytes / page; ++i) {
      if (resident[i] & 1) {
        if (run.bytes == 0) run.begin = part.begin + i * page;
        run.bytes += page;
      } else {
        write_to_pages(run);
        run = {};
      }
    }
    write_to_pages(run);
  }
}

}  // namespace

void make_heap_private(bool anywhere) {
  if (anywhere) {
    find_heaps(/*anywhere=*/true, write_to_resident_pages);
  } else {
    find_heaps(/*anywhere=*/false, write_to_pages);
  }
}

}  // namespace mallard::lab
