#include "mallard/mallard.hpp"

int main() {
  mallard::monotonic_resource arena;
}
