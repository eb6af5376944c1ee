// Nodes that are reused while the work goes on, and all go with the arena.
#include <memory_resource>
#include <set>

#include <mallard/mallard.hpp>

int main() {
  mallard::monotonic_resource arena;
  mallard::multipool_resource pool{&arena};
  std::pmr::set<int> open{&pool};
  for (int i = 0; i < 10'000; ++i) {
    open.insert(i * 7919 % 1000);
    if (open.size() > 100) open.erase(open.begin());
  }
  return open.size() <= 100 && arena.stats().in_use_bytes < 1'000'000 ? 0 : 1;
}
