/* A user's program in C that keeps the process's malloc. */
#include <mallard/malloc/prefixed.h>

int main(void) {
  char* p = mallard_malloc(100);
  size_t in_use = mallard_unfreed_bytes();
  p = mallard_realloc(p, 1000);
  mallard_free(p);
  return in_use >= 100 ? 0 : 1;
}
