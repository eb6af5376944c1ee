// Resources for a debugger to look at.
#include <cstdio>
#include <memory_resource>

#include "mallard/checks/counting_resource.hpp"
#include "mallard/checks/limit_resource.hpp"
#include "mallard/mallard.hpp"

namespace {

[[gnu::noinline]] void stop_here() {
  asm volatile("" : : : "memory");
}

}  // namespace

int main() {
  mallard::counting_resource counter("below");
  mallard::multipool_resource pool(&counter);
  mallard::monotonic_resource arena(&pool);
  mallard::limit_resource quota({.bytes = 1000}, &arena);
  mallard::resource_ref ref = pool;
  asm volatile("" : : "r"(&ref) : "memory");  // it has to have a place
  std::pmr::memory_resource* const all[] = {&counter, &pool, &arena, &quota, ref.get()};
  void* const p = pool.allocate(100, 8);
  void* const q = quota.allocate(300, 8);
  stop_here();
  std::printf("%p\n", static_cast<const void*>(all[0]));
  quota.deallocate(q, 300, 8);
  pool.deallocate(p, 100, 8);
}
