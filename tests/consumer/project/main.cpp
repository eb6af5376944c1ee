// A user's program: one resource, both bindings.
#include <mallard/checks/test_resource.hpp>
#include <mallard/mallard.hpp>
#include <memory_resource>
#include <string>
#include <vector>

int main() {
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
