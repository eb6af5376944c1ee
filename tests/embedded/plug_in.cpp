// A plug-in that uses the whole library, from the host's thread and one of its own.
#include <deque>
#include <memory_resource>
#include <string>
#include <thread>
#include <vector>

#include "mallard/checks/counting_resource.hpp"
#include "mallard/mallard.hpp"

namespace {

void use(std::pmr::memory_resource& resource) {
  std::pmr::vector<std::pmr::string> texts(&resource);
  for (int i = 0; i < 300; ++i) texts.emplace_back(static_cast<std::size_t>(i) * 20, 'x');
}

// So many that they have to be looked up, over an upstream that has to be locked.
void use_many() {
  mallard::counting_resource upstream;
  std::deque<mallard::synchronized_multipool_resource> pools;
  for (int i = 0; i < 40; ++i) pools.emplace_back(&upstream);
  for (int turn = 0; turn < 2; ++turn) {
    for (auto& pool : pools) pool.deallocate(pool.allocate(24), 24);
  }
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int plug_in_work() {
  mallard::monotonic_resource monotonic;
  mallard::multipool_resource pool;
  mallard::heap_resource heap;
  mallard::synchronized_multipool_resource threads_pool;
  mallard::synchronized_heap_resource threads_heap;
  mallard::scratch_scope scratch;
  const auto all = [&] {
    use(threads_pool);
    use(threads_heap);
    use_many();
  };
  use(monotonic);
  use(pool);
  use(heap);
  use(scratch);
  all();
  std::thread(all).join();
  const mallard::sized_block block = heap.allocate_at_least(100'000);
  heap.deallocate_expandable(block.p);
  return heap.stats().in_use_bytes == 0 ? 42 : 0;
}
