#include <vector>

#include "mallard/monotonic.hpp"
#include "mallard/wink_out.hpp"

int main() {
  mallard::monotonic_resource arena;
  (void)mallard::make<std::vector<int>>(arena);  // of the global heap
}
