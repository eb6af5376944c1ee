// Parameters of the kernels of the series benches, and their look-up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lab/measuring/task.hpp"

namespace mallard::lab {

// The movement of locality's elements between subsystems: see docs/method.md.
enum class wandering { code, paper, slides };

// Benchmark II.
struct locality_work {
  std::uint64_t lists = 0;
  std::uint64_t links_per_list = 0;
  std::uint64_t steps_per_list = 0;  // timed accesses in each turn of a list
  std::uint64_t repeats = 0;         // turns of each list
  std::uint64_t moves = 0;           // elements that change lists
  std::uint64_t seed = 1;
  wandering how = wandering::code;
};

// Benchmark III.
struct utilization_work {
  std::uint64_t blocks = 0;         // allocated in all
  std::uint64_t active_blocks = 0;  // allocated at one time
  std::uint64_t block_bytes = 0;
};

// Benchmark IV.
enum class sharing { own, shared, handoff };
struct contention_work {
  std::uint64_t iterations = 0;  // of each thread; with handoff, of each pair
  std::uint64_t block_bytes = 0;
  std::uint64_t rounds = 1;  // of that many iterations each
  unsigned threads = 0;
};

// The parallel counter of the slides, and its variant with small objects.
enum class placement {
  shared_array,
  local_variable,
  arena_per_thread,
  objects_of_one_allocator,
  objects_of_own_arenas,
};
struct false_sharing_work {
  std::uint64_t increments = 0;  // over all threads: inspected elements, or incremented objects
  unsigned threads = 0;
  std::uint64_t seed = 1;
};

// A column of the tables of a series: "AS1" to "AS14", "sync" or "mutex", and its library.
struct column {
  std::string strategy;
  std::string peer;
  friend bool operator==(const column&, const column&) = default;
};

// Returns: null if the library has no such strategy, or it makes no sense there.
kernel_of<locality_work> find_locality_kernel(const column& where);
kernel_of<utilization_work> find_utilization_kernel(const column& where);
kernel_of<contention_work> find_contention_kernel(const column& where, sharing form);
kernel_of<false_sharing_work> find_false_sharing_kernel(const column& where, placement form);

}  // namespace mallard::lab
