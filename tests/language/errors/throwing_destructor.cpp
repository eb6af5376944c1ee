#include "mallard/monotonic.hpp"
#include "mallard/wink_out.hpp"

struct throws_at_its_end {
  ~throws_at_its_end() noexcept(false) {}
};
template <>
struct mallard::winkable<throws_at_its_end> : std::true_type {};

int main() {
  mallard::monotonic_resource arena;
  return mallard::make<throws_at_its_end>(arena) == nullptr;
}
