#include "mallard/monotonic.hpp"
#include "mallard/resource_ref.hpp"

int main() {
  mallard::resource_ref arena = mallard::monotonic_resource{};
  return arena.get() == nullptr;
}
