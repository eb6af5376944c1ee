// The same for several threads, with pmr's way to pass memory down.
#include <deque>
#include <future>
#include <memory_resource>

#include <mallard/mallard.hpp>

static int work(std::pmr::memory_resource* memory, int n) {
  std::pmr::deque<int> queue(memory);
  for (int i = 0; i < n; ++i) queue.push_back(i);
  int sum = 0;
  for (; !queue.empty(); queue.pop_front()) sum += queue.front();
  return sum;
}

int main() {
  mallard::synchronized_heap_resource heap;
  auto one = std::async(std::launch::async, work, &heap, 1000);
  auto two = std::async(std::launch::async, work, &heap, 2000);
  return one.get() == 499'500 && two.get() == 1'999'000 ? 0 : 1;
}
