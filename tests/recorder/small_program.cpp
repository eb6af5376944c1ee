// Allocates, and that is all.
#include <unistd.h>

#include <cstdlib>

int main(int argc, char** argv) {
  void* const block = malloc(10);
  asm volatile("" ::"r"(block) : "memory");
  free(block);
  if (argc > 1 && argv[1][0] == 'w') pause();  // until somebody ends it
}
