// Nodes of one size.
#include <list>

#include <mallard/mallard.hpp>

int main() {
  mallard::adaptive_pool_resource pool;
  std::list<int, mallard::allocator<int, mallard::adaptive_pool_resource>> queue(&pool);
  for (int i = 0; i < 10'000; ++i) queue.push_back(i);
  queue.remove_if([](int i) { return i % 2 == 0; });
  queue.sort();
  auto other = queue;
  other.splice(other.end(), queue);
  return other.size() == 10'000 && queue.empty() ? 0 : 1;
}
