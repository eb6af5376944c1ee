/* A user's program in C: the drop-in malloc and what it offers beyond the C library. */
#include <mallard/malloc/llheap_names.h>
#include <mallard/malloc/malloc.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char text[16384];
  void* p = resize(aalloc(10, 10), 1000);
  size_t length = mallard_stats_json(text, sizeof text);
  mallard_set_limit_bytes((size_t)1 << 30);
  free(p);
  mallard_trim();
  return length > 0 && length < sizeof text && strlen(text) == length ? 0 : 1;
}
