// Purpose: what live blocks of any size cost in resident memory, and what stays when
// all are gone; each heap in a process of its own.
//
//   mallard_heap_memory [live blocks]     one line of JSON per heap
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "heap_contenders.hpp"

namespace mallard::bench {
namespace {

std::size_t resident_bytes() {
  std::size_t size = 0;
  std::size_t resident = 0;
  std::FILE* const f = std::fopen("/proc/self/statm", "r");
  if (f == nullptr || std::fscanf(f, "%zu %zu", &size, &resident) != 2) std::abort();
  std::fclose(f);
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

struct block {
  void* p;
  std::size_t bytes;
};

// Sizes of 16 B to 64 KiB, each doubling as likely as any other; every block is written to.
template <class Heap>
void fill_and_empty(const char* name, std::size_t live) {
  std::vector<block> blocks(live);
  std::memset(blocks.data(), 0, live * sizeof(block));
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> exponent(4, 16);
  Heap heap;
  const auto fresh = [&] {
    const auto bytes = static_cast<std::size_t>(std::exp2(exponent(random)));
    void* const p = heap.allocate(bytes);
    std::memset(p, 1, bytes);
    return block{p, bytes};
  };
  heap.deallocate(heap.allocate(100), 100);
  heap.trim();
  const std::size_t empty = resident_bytes();
  for (block& b : blocks) b = fresh();
  for (std::size_t i = 0; i < live; ++i) {
    block& b = blocks[random() % live];
    heap.deallocate(b.p, b.bytes);
    b = fresh();
  }
  std::size_t bytes = 0;
  for (const block& b : blocks) bytes += b.bytes;
  const std::size_t full = resident_bytes();
  for (const block& b : blocks) heap.deallocate(b.p, b.bytes);
  const std::size_t erased = resident_bytes();
  heap.trim();
  page_source::instance()->trim();
  std::printf(
      "{\"heap\": \"%s\", \"live_bytes\": %zu, \"resident_bytes\": %zu, \"per_live_byte\": %.4f, "
      "\"after_erase\": %zu, \"after_trim\": %zu, \"empty\": %zu}\n",
      name, bytes, full - empty, static_cast<double>(full - empty) / static_cast<double>(bytes),
      erased, resident_bytes(), empty);
}

template <class Heap>
bool in_a_child(const char* name, std::size_t live) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    fill_and_empty<Heap>(name, live);
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace
}  // namespace mallard::bench

int main(int argc, char** argv) {
  using namespace mallard::bench;
  const long live = argc > 1 ? std::atol(argv[1]) : 100'000;
  if (live <= 0 || argc > 2) {
    std::fprintf(stderr, "usage: %s [live blocks]\n", argv[0]);
    return 2;
  }
  const auto blocks = static_cast<std::size_t>(live);
  bool all = in_a_child<own_heap<mallard::heap_resource>>("heap_resource", blocks);
  all &= in_a_child<own_heap<mallard::synchronized_heap_resource>>("synchronized_heap_resource",
                                                                   blocks);
  all &= in_a_child<global_malloc>("malloc", blocks);
#ifdef MALLARD_HAS_BOOST
  all &= in_a_child<boost_dlmalloc>("boost dlmalloc", blocks);
#endif
  if (!all) std::fprintf(stderr, "%s: a heap did not come to its end\n", argv[0]);
  return all ? 0 : 1;
}
