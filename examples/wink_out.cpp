// Builds a graph and drops it by releasing its arena: no destructor of a million nodes runs.
#include <cstdio>
#include <memory_resource>
#include <vector>

#include "mallard/mallard.hpp"

int main() {
  mallard::multipool_resource pool;
  std::size_t edges = 0;
  {
    mallard::wink_scope scope(pool);
    using graph = std::pmr::vector<std::pmr::vector<int>>;
    graph& neighbours = *mallard::make<graph>(pool, &pool);
    neighbours.resize(100'000);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      neighbours[i].assign(10, static_cast<int>(i));
      edges += neighbours[i].size();
    }
  }
  std::printf("%zu edges built; %zu bytes held after the scope\n", edges,
              pool.stats().reserved_bytes);
  return pool.stats().reserved_bytes == 0 ? 0 : 1;
}
