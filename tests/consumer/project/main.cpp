// A user's program: one resource, both bindings.
#include <malloc.h>
#include <mallard/checks/test_resource.hpp>
#include <mallard/mallard.hpp>

#include <cstdlib>
#include <memory_resource>
#include <string>
#include <vector>

// Ours has blocks of 48 bytes, glibc's malloc of 40.
bool is_mallard_malloc() {
  void* const p = std::malloc(40);
  const bool is = malloc_usable_size(p) == 48;
  std::free(p);
  return is;
}

int main() {
#ifdef EXPECT_MALLARD_MALLOC
  if (!is_mallard_malloc()) return 2;
#else
  if (is_mallard_malloc()) return 2;
#endif
  mallard::test_resource upstream;
  mallard::monotonic_resource arena(&upstream);
  mallard::multipool_resource pool(&arena);
  std::vector<int, mallard::allocator<int, mallard::multipool_resource>> numbers(&pool);
  std::pmr::vector<std::pmr::string> names(&pool);
  for (int i = 0; i < 1000; ++i) {
    numbers.push_back(i);
    names.emplace_back(100, 'x');
  }
  return numbers.back() == 999 && names.size() == 1000 ? 0 : 1;
}
