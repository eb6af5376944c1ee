#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/typed.hpp"

int main() {
  mallard::monotonic_resource arena;
  mallard::typed::vector<int, mallard::multipool_resource> v(arena);
  v.push_back(1);
}
