// A program that is watched and linked statically: it says why it cannot be.
#include <cstdlib>

#include "mallard/checks/watch_program.hpp"

int main() {
  void* volatile p = std::malloc(10);
  std::free(p);
}
