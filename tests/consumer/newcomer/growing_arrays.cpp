// Blocks of any size, arrays that grow where they are.
#include <cstring>
#include <memory_resource>
#include <vector>

#include <mallard/mallard.hpp>

int main() {
  mallard::heap_resource heap;
  std::pmr::vector<std::pmr::vector<int>> rows(50, &heap);
  for (int i = 0; i < 20'000; ++i) rows[static_cast<std::size_t>(i) % 50].push_back(i);

  auto [text, room] = heap.allocate_at_least(100);
  std::memcpy(text, "hello", 6);
  if (std::size_t now = heap.try_expand(text, room, 1000)) room = now;
  const bool same = std::strcmp(static_cast<char*>(text), "hello") == 0 && room >= 100;
  heap.deallocate_expandable(text);
  return same && rows[49].back() == 19'999 ? 0 : 1;
}
