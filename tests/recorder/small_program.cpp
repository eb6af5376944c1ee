// Allocates, and that is all.
#include <cstdlib>

int main() {
  void* const block = malloc(10);
  asm volatile("" ::"r"(block) : "memory");
  free(block);
}
