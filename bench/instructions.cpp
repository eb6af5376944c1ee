// Purpose: operations to be counted by callgrind, each in a function of its own.
//
//   valgrind --tool=callgrind --callgrind-out-file=/dev/null
//     --toggle-collect='count_allocate*' mallard_instructions allocate
// prints "Collected : I"; I / iterations is the instructions per call, return included.
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory_resource>

#include "mallard/multipool.hpp"

namespace {

constexpr std::size_t node_bytes = 24;
constexpr std::size_t node_alignment = 8;
constexpr long iterations = 1'000'000;

[[gnu::noinline]] void* count_direct_allocate(mallard::multipool_resource& r) {
  return r.allocate(node_bytes, node_alignment);
}
[[gnu::noinline]] void count_direct_deallocate(mallard::multipool_resource& r, void* p) {
  r.deallocate(p, node_bytes, node_alignment);
}
[[gnu::noinline]] void* count_base_allocate(std::pmr::memory_resource& r) {
  return r.allocate(node_bytes, node_alignment);
}
[[gnu::noinline]] void count_base_deallocate(std::pmr::memory_resource& r, void* p) {
  r.deallocate(p, node_bytes, node_alignment);
}

template <class R, class Allocate, class Deallocate>
void pairs(R& resource, Allocate allocate, Deallocate deallocate) {
  for (long i = 0; i < iterations; ++i) deallocate(resource, allocate(resource));
}

// Batches keep the pool's hot block out of the picture: nearly every call takes the longer way.
template <class R, class Allocate, class Deallocate>
void batches(R& resource, Allocate allocate, Deallocate deallocate) {
  constexpr long batch = 1000;
  static void* live[batch];
  for (long i = 0; i < iterations; i += batch) {
    for (void*& p : live) p = allocate(resource);
    for (void* p : live) deallocate(resource, p);
  }
}

}  // namespace

int main(int argc, char** argv) {
  mallard::multipool_resource pool;
  std::pmr::memory_resource* base = &pool;
  asm volatile("" : "+r"(base));
  const char* const loop = argc == 2 ? argv[1] : "";
  if (std::strcmp(loop, "pairs") == 0) {
    pairs(pool, count_direct_allocate, count_direct_deallocate);
    pairs(*base, count_base_allocate, count_base_deallocate);
  } else if (std::strcmp(loop, "batches") == 0) {
    batches(pool, count_direct_allocate, count_direct_deallocate);
    batches(*base, count_base_allocate, count_base_deallocate);
  } else {
    std::fprintf(stderr, "usage: %s pairs|batches   (prints its iterations)\n", argv[0]);
    return 2;
  }
  std::printf("%ld\n", iterations);
}
