#include "mallard/monotonic.hpp"
#include "mallard/wink_out.hpp"

int* number() {
  mallard::monotonic_resource arena;
  return mallard::make<int>(arena, 7);
}
