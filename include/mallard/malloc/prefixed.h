/* Purpose: the malloc beside the process's own, under prefixed names: for plug-ins, engines and
 * languages that leave the host's malloc alone. For C and C++.
 *
 *   #include <mallard/malloc/prefixed.h>
 *   char* text = mallard_malloc(100);
 *   text = mallard_realloc(text, 200);
 *   mallard_free(text);
 *
 * Link with mallard::malloc_prefixed (libmallard-malloc-prefixed.a) instead of mallard::malloc. The
 * names stay inside the program or shared object that is linked with it: each has its own heap, and
 * frees the blocks that it allocated. The functions of mallard/malloc/malloc.h are there, too, for
 * this heap; the environment variable MALLARD_MALLOC affects all heaps.
 *
 * Each function does what its namesake does in C, POSIX or glibc: sizes are in bytes; without
 * memory it returns null and sets errno; blocks are aligned for every type.
 *
 * Complexity: O(1), except for realloc, calloc and new slabs.
 * Thread-safety: any thread may call all functions, on blocks of any thread. */
#ifndef MALLARD_MALLOC_PREFIXED_H
#define MALLARD_MALLOC_PREFIXED_H

#include <stddef.h>

#include "mallard/malloc/malloc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Effects: as C has them. 0 bytes get a block. `mallard_realloc(p, 0)` frees `p`, as in glibc. */
void* mallard_malloc(size_t bytes);
void* mallard_calloc(size_t count, size_t bytes);
void* mallard_realloc(void* p, size_t bytes);
void* mallard_reallocarray(void* p, size_t count, size_t bytes);
void mallard_free(void* p);

/* Effects: as mallard_free, given what was requested, which only the hardened build uses. */
void mallard_free_sized(void* p, size_t bytes);
void mallard_free_aligned_sized(void* p, size_t alignment, size_t bytes);

/* Effects: allocate at a multiple of `alignment`, a power of two; mallard_memalign rounds it up. */
void* mallard_aligned_alloc(size_t alignment, size_t bytes);
int mallard_posix_memalign(void** out, size_t alignment, size_t bytes);
void* mallard_memalign(size_t alignment, size_t bytes);

/* Returns: the bytes of the block that may be used; 0 for null. */
size_t mallard_malloc_usable_size(void* p);

#ifdef __cplusplus
}
#endif

#endif
