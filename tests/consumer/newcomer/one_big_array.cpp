// One array that grows to 80 MB and never moves.
#include <memory_resource>
#include <vector>

#include <mallard/mallard.hpp>

int main() {
  mallard::reserved_resource arena;
  std::vector<long, mallard::allocator<long, mallard::reserved_resource>> numbers(&arena);
  for (long i = 0; i < 1'000'000; ++i) numbers.push_back(i);
  return numbers[999'999] == 999'999 && arena.stats().reserved_bytes >= 8'000'000 ? 0 : 1;
}
