// Cache thrash and cache scratch: threads increment their own small blocks, which may share a cache
// line.
#pragma once

#include <span>
#include <string>

#include "lab/bench/bench.hpp"
#include "lab/mallocs/own_memory.hpp"
#include "lab/measuring/readings.hpp"

namespace mallard::lab::mallocs {

struct cache_work {
  unsigned threads = 1;
  std::uint64_t operations = 0;  // blocks of each thread, one after another
  std::uint64_t touches = 0;     // of each
  std::uint64_t warm_ups = 0;    // chunks of 16 bytes
  std::uint32_t bytes = 1;
};

// `given`: blocks that the main thread allocated, one for each thread, or none.
void touch_own_blocks(const cache_work& job, own_memory& own, std::span<void*> given,
                      readings& taken);

// A bench whose kernel is the executed_kernel of its name.
bench make_cache_bench(std::string name, std::string summary, std::string title, std::string hint);

}  // namespace mallard::lab::mallocs
