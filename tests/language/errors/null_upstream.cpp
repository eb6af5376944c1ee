#include "mallard/monotonic.hpp"

int main() {
  mallard::monotonic_resource arena(nullptr);
  arena.release();
}
