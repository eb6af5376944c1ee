// Uses every public class once over the shared library: a symbol that is not exported fails to
// link, and an exception that is not exported is not caught.
#include <cstdio>
#include <cstdlib>
#include <list>
#include <memory_resource>
#include <vector>

#include "mallard/checks/counting_resource.hpp"
#include "mallard/checks/exception_test_loop.hpp"
#include "mallard/checks/test_resource.hpp"
#include "mallard/mallard.hpp"

namespace {

void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::exit(1);
}

template <class Resource>
void use(Resource& resource) {
  std::pmr::vector<int> by_base(1000, 7, &resource);
  std::list<int, mallard::allocator<int, Resource>> by_type(100, 7, &resource);
  expect(by_base.size() == 1000 && by_type.size() == 100, "containers hold what was put in");
  void* const p = resource.try_allocate(100000, 64);
  expect(p != nullptr, "try_allocate serves");
  resource.deallocate(p, 100000, 64);
}

}  // namespace

int main() {
  mallard::monotonic_resource monotonic;
  mallard::buffered_resource<256> buffered;
  mallard::reserved_resource reserved;
  mallard::multipool_resource multipool;
  mallard::adaptive_pool_resource adaptive;
  use(monotonic);
  use(buffered);
  use(reserved);
  use(multipool);
  use(adaptive);
  use(*mallard::page_source::instance());
  expect(multipool.trim() + adaptive.trim() > 0, "trim gives memory back");
  monotonic.rewind(monotonic.mark());

  mallard::test_resource memory;
  int caught = 0;
  mallard::exception_test_loop(
      memory,
      [](mallard::test_resource& upstream) {
        mallard::multipool_resource pool(&upstream);
        pool.deallocate(pool.allocate(100), 100);
      },
      [&] { ++caught; });
  expect(caught > 0, "test_exception is caught on this side of the library");
  mallard::counting_resource counter(&memory);
  counter.deallocate(counter.allocate(1, 1), 1, 1);
  expect(counter.counts().deallocations == 1, "counting_resource counts");
}
