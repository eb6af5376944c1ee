// A program that is built with what pkg-config says.
#include <mallard/mallard.hpp>

int main() {
  mallard::synchronized_heap_resource heap;
  std::pmr::vector<int> numbers(1000, 7, &heap);
  return numbers.size() == 1000 && heap.stats().in_use_bytes >= 4000 ? 0 : 1;
}
