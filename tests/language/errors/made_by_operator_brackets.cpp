#include "mallard/multipool.hpp"
#include "mallard/typed.hpp"

int main() {
  mallard::multipool_resource pool;
  using ints = mallard::typed::vector<int, mallard::multipool_resource>;
  mallard::typed::map<int, ints, mallard::multipool_resource> m(&pool);
  m[1];  // makes a vector, of which resource?
}
