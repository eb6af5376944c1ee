// A few KiB inside one function, in an array of one's own.
#include <cstddef>
#include <memory_resource>
#include <numeric>
#include <vector>

#include <mallard/mallard.hpp>

static int sum_of_squares(int n) {
  std::byte buffer[4096];
  mallard::monotonic_resource arena(buffer, sizeof buffer);
  std::pmr::vector<int> squares(&arena);
  for (int i = 1; i <= n; ++i) squares.push_back(i * i);
  return std::accumulate(squares.begin(), squares.end(), 0);
}

int main() {
  return sum_of_squares(100) == 338350 ? 0 : 1;
}
