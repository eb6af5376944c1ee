// Memory for a loop: each step is a scope that ends with what it allocated, no chunk is asked for
// twice.
#include <cstdio>
#include <memory_resource>
#include <vector>

#include "mallard/mark_scope.hpp"
#include "mallard/monotonic.hpp"

int main() {
  mallard::monotonic_resource scratch;
  long sum = 0;
  for (int step = 1; step <= 1000; ++step) {
    mallard::mark_scope this_step(scratch);
    std::pmr::vector<int> values(static_cast<std::size_t>(step), step, &scratch);
    for (int value : values) sum += value;
  }
  const auto stats = scratch.stats();
  std::printf("sum %ld; at most %zu bytes in use, %zu chunks\n", sum, stats.peak_bytes,
              stats.chunks);
  return stats.in_use_bytes == 0 ? 0 : 1;
}
