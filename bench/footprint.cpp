// Purpose: the memory that nodes cost beyond their own size, and what stays when they are gone.
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
  std::printf(
      "{\"live_bytes\": %zu, \"reserved_bytes\": %zu, \"slabs_after_erase\": %zu, "
      "\"empty_slabs_kept\": %zu}\n",
      nodes * node_bytes, full.reserved_bytes, erased.slabs, pool.options().empty_slabs_kept);
}
