// Cache thrash: do mallocs give neighbours on a cache line to different threads?
#include "lab/mallocs/cache.hpp"
#include "lab/mallocs/malloc_kernel.hpp"

namespace mallard::lab {
namespace {

using namespace mallocs;

void run(const cache_work& job, own_memory& own, readings& taken) {
  touch_own_blocks(job, own, {}, taken);
}

const executed_kernel kernel("thrash", run_kernel<cache_work, run>);

}  // namespace

bench make_thrash() {
  return make_cache_bench(
      "thrash", "Mallocs: blocks of several threads on one cache line, put there by the malloc",
      "Cache thrash: false sharing by the allocator",
      "Each thread allocates a small object and writes to it. This takes longer "
      "with more threads if different threads get neighbours on a cache line.");
}

}  // namespace mallard::lab
