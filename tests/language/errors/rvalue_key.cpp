#include "mallard/multipool.hpp"
#include "mallard/typed.hpp"

int main() {
  mallard::multipool_resource pool;
  using text = mallard::typed::string<mallard::multipool_resource>;
  mallard::typed::map<text, int, mallard::multipool_resource> m(&pool);
  m["a key that is made of a literal"] = 1;
}
