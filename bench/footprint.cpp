// Purpose: the memory that nodes cost beyond their own size, and what stays when they are gone:
// a line of text each.
#include <cstddef>
#include <cstdio>
#include <memory_resource>
#include <vector>

#include "mallard/adaptive_pool.hpp"
#include "mallard/checks/counting_resource.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mixed_sizes.hpp"

namespace {

// The memory that 100,000 blocks of a program's sizes hold beyond their own.
template <class Pool>
double mixed_overhead() {
  Pool pool;
  mixed_sizes next;
  std::size_t asked_for = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::size_t bytes = next();
    static_cast<void>(pool.allocate(bytes, 8));
    asked_for += bytes;
  }
  const auto held = static_cast<double>(pool.stats().reserved_bytes);
  return 100 * (held / static_cast<double>(asked_for) - 1);
}

// The memory that an arena holds for a vector that has grown to a million numbers, one by one.
template <class Arena>
void growing_vector(const char* name) {
  mallard::counting_resource upstream;
  Arena arena(&upstream);
  std::pmr::vector<int> numbers(&arena);
  for (int i = 0; i < 1'000'000; ++i) numbers.push_back(i);
  const mallard::allocation_counts held = upstream.counts();
  std::printf("resource %s growing-vector held_kib %zu\n", name, held.in_use_bytes >> 10);
  std::printf("resource %s growing-vector peak_kib %zu\n", name, held.peak_bytes >> 10);
}

}  // namespace

int main() {
  constexpr std::size_t nodes = 1'000'000;
  constexpr std::size_t node_bytes = 24;
  mallard::multipool_resource pool;
  std::vector<void*> live(nodes);
  for (void*& p : live) p = pool.allocate(node_bytes, 8);
  const mallard::multipool_stats full = pool.stats();
  for (void* p : live) pool.deallocate(p, node_bytes, 8);
  const mallard::multipool_stats erased = pool.stats();
  const double asked_for = static_cast<double>(nodes * node_bytes);
  const double overhead = 100 * (static_cast<double>(full.reserved_bytes) / asked_for - 1);
  std::printf("resource multipool nodes-24 overhead_percent %.3f\n", overhead);
  std::printf("resource multipool nodes-24 slabs_kept %zu\n", erased.slabs);
  std::printf("resource multipool mixed overhead_percent %.3f\n",
              mixed_overhead<mallard::multipool_resource>());
  std::printf("resource adaptive_pool mixed overhead_percent %.3f\n",
              mixed_overhead<mallard::adaptive_pool_resource>());
  growing_vector<mallard::monotonic_resource>("monotonic");
  growing_vector<std::pmr::monotonic_buffer_resource>("std_monotonic");
}
