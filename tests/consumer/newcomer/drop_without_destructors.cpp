// A graph that is dropped without running a destructor.
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <vector>

#include <mallard/mallard.hpp>

using graph = std::pmr::unordered_map<std::pmr::string, std::pmr::vector<int>>;

int main() {
  mallard::monotonic_resource arena;
  for (int round = 0; round < 3; ++round) {
    mallard::wink_scope scope(arena);
    graph& g = *mallard::make<graph>(arena);
    for (int i = 0; i < 1000; ++i) g[std::pmr::string(std::to_string(i), &arena)].push_back(i);
    if (g.size() != 1000) return 1;
  }
  return arena.stats().in_use_bytes == 0 ? 0 : 1;
}
