// std::function and std::shared_ptr with their memory in a resource. std::function takes no
// allocator since C++17: the callable is made in the resource, and the function refers to it.
#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

#include "mallard/allocate_unique.hpp"
#include "mallard/allocator.hpp"
#include "mallard/create.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"

int main() {
  // All callables go together: an arena keeps them. A std::function that holds a reference
  // allocates nothing itself.
  mallard::monotonic_resource arena;
  std::vector<std::function<int(int)>> steps;
  for (int i = 0; i < 3; ++i) {
    const auto add = [table = std::array<int, 100>{i}](int x) { return x + table[0]; };
    steps.emplace_back(std::ref(*mallard::create<decltype(add)>(arena, add)));
  }
  int sum = 0;
  for (const auto& step : steps) sum = step(sum);

  // One that goes alone: its owner gives the memory back, the function refers to it meanwhile.
  mallard::multipool_resource pool;
  const auto multiply = [table = std::array<int, 100>{7}](int x) { return x * table[0]; };
  const auto owned = mallard::allocate_unique<decltype(multiply)>(pool, multiply);
  const std::function<int(int)> last = std::ref(*owned);
  sum = last(sum);

  // Shared: the object and its counts are one block of the pool.
  const mallard::allocator<int, mallard::multipool_resource> in_pool(pool);
  const std::shared_ptr<int> shared = std::allocate_shared<int>(in_pool, sum);
  const std::weak_ptr<int> observer = shared;
  std::printf("%d, %zu bytes in use in the pool\n", *observer.lock(), pool.stats().in_use_bytes);
  return *shared == 21 ? 0 : 1;
}
