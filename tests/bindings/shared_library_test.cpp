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

// Classes and functions that the others leave out.
void use_the_rest() {
  mallard::synchronized_multipool_resource threads_pool;
  mallard::synchronized_heap_resource threads_heap;
  mallard::heap_resource heap;
  mallard::synchronized<mallard::multipool_resource> locked;
  mallard::multipool_resource pool;
  mallard::monotonic_resource arena(1024);
  mallard::fallback_resource both(&arena, &pool);
  mallard::segregating_resource by_size(100, &pool, &heap);
  mallard::failure_callback_resource callback([](std::size_t, std::size_t) { return false; });
  mallard::scratch_scope scratch;
  use(threads_pool);
  use(threads_heap);
  use(heap);
  use(locked);
  use(both);
  use(by_size);
  use(callback);
  use(scratch);

  const auto use_heap = [](auto& h) {
    mallard::sized_block block = h.allocate_at_least(1000);
    block.bytes = h.try_expand(block.p, block.bytes, 2000, 4000);
    block.bytes = h.shrink(block.p, block.bytes, block.bytes, 1000);
    expect(h.shrinkable_to(block.p, block.bytes, block.bytes) != 0, "shrinkable_to answers");
    block = h.remap(block.p, block.bytes, 1 << 20);
    h.deallocate_expandable(block.p);
    block = h.try_allocate_expandable(100, 200);
    if (const auto longer = h.try_expand_backward(block.p, block.bytes, 400, 400, 8); longer.p) {
      block = longer;
    }
    h.deallocate_expandable(block.p);
    h.deallocate_many(h.allocate_many(10, 24), 24);
    (void)h.allocate_many(std::vector<std::size_t>{8, 800, 80'000});
    expect(h.stats().in_use_bytes > 0, "stats count");
    h.trim();
    h.release();
  };
  use_heap(heap);
  use_heap(threads_heap);
  expect(threads_pool.stats().threads == 1 && threads_pool.trim() > 0, "one thread has slabs");
  threads_pool.release();

  mallard::adaptive_pool_resource nodes({.block_bytes = 24, .alignment = 8});
  nodes.deallocate_many(nodes.allocate_many(10, 24, 8), 24, 8);
  void* some[4];
  nodes.allocate_many(some, 4, 24, 8);
  expect(nodes.owns(some[0]) && !pool.owns(some[0]), "owns tells");
  nodes.deallocate_many(some, 4, 24, 8);
  nodes.release();

  {
    const mallard::mark_scope scope(arena);
    expect(arena.owns(mallard::copy_string(arena, "text").data()), "copies are in the arena");
    (void)mallard::copy_span(arena, std::vector{1, 2, 3});
  }
  mallard::reserved_resource reserved;
  void* const p = reserved.allocate(100);
  expect(reserved.owns(p) && reserved.try_expand(p, 100, 200) == 200, "the last block grows");
  reserved.shrink(p, 200, 100);
  reserved.rewind(reserved.mark());
  reserved.reset(0);
  reserved.release();
  arena.reset(100);
  arena.release();
  pool.release();

  mallard::object_pool<std::pmr::string> objects;
  objects.destroy(objects.create("one object"));
  const auto owned = mallard::allocate_unique<std::pmr::vector<int>>(pool, 10u);
  (void)mallard::make<std::pmr::vector<int>>(arena, 10u);
  auto bound = mallard::bind<std::vector<int>>(pool, 10u);
  std::vector<int, mallard::expandable_allocator<int>> grows(10, 1, &heap);
  std::list<int, mallard::adaptive_pool_allocator<int>> shared(10, 1);
  std::list<int, mallard::node_allocator<int>> segregated(10, 1);

  mallard::page_source* const pages = mallard::page_source::instance();
  pages->set_cache_limit(std::size_t{64} << 20);
  pages->set_caching(true);
  pages->trim();
  expect(pages->stats().mapped_bytes > 0, "the page source counts");
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
  use_the_rest();
  expect(multipool.trim() + adaptive.trim() > 0, "trim gives memory back");
  monotonic.rewind(monotonic.mark());

  mallard::test_resource memory;
  int caught = 0;
  mallard::exception_test_loop(
      memory,
      [](mallard::test_resource& upstream) {
        mallard::monotonic_resource arena(&upstream);
        static_cast<void>(arena.allocate(1 << 20));  // for less it would ask for a smaller chunk
      },
      [&] { ++caught; });
  expect(caught > 0, "test_exception is caught on this side of the library");
  mallard::counting_resource counter(&memory);
  counter.deallocate(counter.allocate(1, 1), 1, 1);
  expect(counter.upstream_resource() == &memory && memory.upstream_resource() != nullptr,
         "checks know their upstream");
  memory.fail_at(0);
  memory.fail_after(0);
  memory.never_fail();
  memory.verify();
  memory.report_leaks();
  expect(memory.failures() == 0, "nothing has failed");
  expect(mallard::to_string(mallard::test_fault::leak) != nullptr, "faults have names");
  mallard::test_resource with_handler([](const mallard::test_report&) {});
  expect(counter.counts().deallocations == 1, "counting_resource counts");
}
