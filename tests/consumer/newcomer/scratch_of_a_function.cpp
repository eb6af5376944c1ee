// Memory for the time of a function, which calls itself.
#include <memory_resource>
#include <vector>

#include <mallard/mallard.hpp>

static long tree_sum(int depth) {
  mallard::scratch_scope scratch;
  std::pmr::vector<long> children(&scratch);
  for (int i = 0; i < 3; ++i) children.push_back(i);
  long sum = 1;
  if (depth > 0) {
    for (long child : children) sum += child + tree_sum(depth - 1);
  }
  return sum;
}

int main() {
  return tree_sum(3) == 40 + 3 * 13 ? 0 : 1;
}
