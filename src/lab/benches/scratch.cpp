// Cache scratch: the main thread allocates the first blocks of all threads, side by side.
#include <cstdlib>

#include "lab/mallocs/cache.hpp"
#include "lab/mallocs/malloc_kernel.hpp"

namespace mallard::lab {
namespace {

using namespace mallocs;

void run(const cache_work& job, own_memory& own, readings& taken) {
  const auto given = own.make<void*>(job.threads);
  for (void*& block : given) {
    block = there(std::malloc(job.bytes));
    increment(block);
  }
  touch_own_blocks(job, own, given, taken);
}

const executed_kernel kernel("scratch", run_kernel<cache_work, run>);

}  // namespace

bench make_scratch() {
  return make_cache_bench(
      "scratch", "Mallocs: blocks of several threads on one cache line, put there by the program",
      "Cache scratch: false sharing preserved",
      "The first objects of all threads are neighbours. The thread that frees "
      "one gets the same line again, unless the malloc returns it to where it came from.");
}

}  // namespace mallard::lab
