// Random sequences of calls of a malloc by several threads, which free each other's blocks; every
// block's place and contents are checked against a model.
#pragma once

#include <cstddef>
#include <cstdint>

#include "malloc/calls.hpp"

namespace malloc_test {

struct program_shape {
  unsigned threads = 1;
  std::size_t steps = 10'000;  // of each thread
  std::size_t live = 500;      // blocks of all threads, about
  std::size_t largest_bytes = std::size_t{1} << 20;
};

// Returns after all blocks have been freed. Errors: check_failure when two blocks overlap, a
// block is not aligned, too small, not zeroed when it has to be, or written to by another.
void run_program(const malloc_calls& calls, const program_shape& shape, std::uint64_t seed);

}  // namespace malloc_test
