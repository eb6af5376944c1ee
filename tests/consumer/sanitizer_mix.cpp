// A pool used through both bindings, so that inlined code and the library work on the same blocks.
#include <cstring>
#include <memory_resource>

#include "mallard/multipool.hpp"

int main() {
  mallard::multipool_resource pool;
  std::pmr::memory_resource& base = pool;
  for (int i = 0; i < 1000; ++i) {
    void* const p = base.allocate(40);
    std::memset(p, i, 40);
    pool.deallocate(p, 40);
    void* const q = pool.allocate(40);
    std::memset(q, i, 40);
    base.deallocate(q, 40);
  }
}
