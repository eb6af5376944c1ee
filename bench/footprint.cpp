// Purpose: the memory that nodes cost beyond their own size, and what stays when they are gone:
// lines that `mallard import` makes a result file of.
#include <cstddef>
#include <cstdio>
#include <vector>

#include "mallard/multipool.hpp"

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
}
