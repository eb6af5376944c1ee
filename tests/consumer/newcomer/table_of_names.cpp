// Nodes and strings of many sizes that come and go one by one.
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <vector>

#include <mallard/mallard.hpp>

int main() {
  mallard::multipool_resource pool;
  std::pmr::unordered_map<int, std::pmr::vector<std::pmr::string>> table(&pool);
  for (int i = 0; i < 1000; ++i) {
    table[i % 100].emplace_back("a name that is too long to be stored inside the string");
    if (i >= 500) table.erase(i % 70);
  }
  return table.size() <= 100 && pool.stats().in_use_bytes != 0 ? 0 : 1;
}
