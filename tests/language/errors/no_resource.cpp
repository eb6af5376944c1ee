#include <vector>

#include "mallard/allocator.hpp"
#include "mallard/multipool.hpp"

int main() {
  std::vector<int, mallard::allocator<int, mallard::multipool_resource>> v;
  v.push_back(1);
}
