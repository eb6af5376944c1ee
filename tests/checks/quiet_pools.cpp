// Pools on malloc's memory. Valgrind, which knows nothing of them, finds no fault.
#include <cstddef>
#include <memory_resource>

#include "mallard/adaptive_pool.hpp"
#include "mallard/heap.hpp"
#include "mallard/multipool.hpp"
#include "mallard/synchronized_multipool.hpp"

namespace {

void use(std::pmr::memory_resource& pool) {
  constexpr int blocks = 2000;
  void* all[blocks];
  for (void*& one : all) one = pool.allocate(100);
  for (void* const one : all) pool.deallocate(one, 100);
}

}  // namespace

int main() {
  std::pmr::memory_resource* const upstream = std::pmr::new_delete_resource();
  mallard::multipool_resource pool(upstream);
  use(pool);
  mallard::heap_resource heap(upstream);
  use(heap);
  mallard::synchronized_multipool_resource shared(upstream);
  use(shared);
  mallard::adaptive_pool_resource of_one_size(upstream);
  use(of_one_size);
}
