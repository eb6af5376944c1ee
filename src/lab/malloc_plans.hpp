// From what was asked for to the places of a bench of mallocs.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/malloc_bench.hpp"

namespace mallard::lab {

// What all of them have in common.
struct malloc_conditions {
  std::vector<allocator_library> allocators;
  std::filesystem::path program;
  unsigned repetitions = 0;
  std::uint64_t seed = 1;
  double timeout_seconds = 300;
};

using thread_counts = std::vector<unsigned>;

// `what` has everything but the number of threads.
malloc_plan plan_churn(const thread_counts& threads, const malloc_job& what,
                       const malloc_conditions& under);

// Thrash or scratch. `total_work`: the touches are shared out to the threads.
malloc_plan plan_cache(const thread_counts& threads, const malloc_job& what, bool total_work,
                       const malloc_conditions& under);

malloc_plan plan_speed(const thread_counts& threads, const malloc_job& what,
                       const malloc_conditions& under);

struct memory_team {
  unsigned producers;
  unsigned consumers;  // of each producer
};
malloc_plan plan_memory(const std::vector<memory_team>& teams, const malloc_job& what,
                        const malloc_conditions& under);

// Of sizes from low to high; a thread replaces each of its chunks `rounds` times and then ends.
struct size_range {
  std::uint32_t low;
  std::uint32_t high;
};
malloc_plan plan_larson(const thread_counts& threads, const malloc_job& what, size_range sizes,
                        std::uint64_t rounds, const malloc_conditions& under);

// `threads` are pairs.
malloc_plan plan_remote_free(const thread_counts& threads, const malloc_job& what,
                             const std::vector<std::uint32_t>& blocks,
                             const malloc_conditions& under);

malloc_plan plan_mixed(const thread_counts& threads, const malloc_job& what, size_range sizes,
                       const malloc_conditions& under);

}  // namespace mallard::lab
