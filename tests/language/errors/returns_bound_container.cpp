#include "mallard/multipool.hpp"
#include "mallard/typed.hpp"

auto numbers() {
  mallard::multipool_resource pool;
  return mallard::bind<std::vector<int>>(pool);
}
