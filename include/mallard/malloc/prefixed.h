/* Purpose: the malloc beside the process's own, under names with a prefix: for plug-ins, engines and languages that
 * leave the host's malloc alone. For C and C++.
 *
 *   #include <mallard/malloc/prefixed.h>
 *   char* text = mallard_malloc(100);
 *   text = mallard_realloc(text, 200);
 *   mallard_free(text);
 *
 * Link with mallard::malloc_prefixed (libmallard-malloc-prefixed.a) instead of mallard::malloc. The names stay
 * inside the program or shared object that is linked with it: each has a heap of its own, and a block is freed
 * by the one that allocated it. What mallard/malloc/malloc.h declares is there, too, and concerns this heap;
 * the environment variable MALLARD_MALLOC has effect on all of them.
 *
 * Each function does what the one without the prefix does in C, POSIX or glibc: sizes in bytes, a null pointer
 * and errno where there is no memory, blocks aligned for every type.
 *
 * Complexity: O(1), but for realloc, calloc and what a new slab costs. Thread-safety: all functions may be
 * called from any thread, on blocks of any thread. */
#ifndef MALLARD_MALLOC_PREFIXED_H
#define MALLARD_MALLOC_PREFIXED_H

#include <stddef.h>

#include "mallard/malloc/malloc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Effects: as C has them. Zero bytes are a block of its own. `mallard_realloc(p, 0)` frees `p`, as in glibc. */
void* mallard_malloc(size_t bytes);
void* mallard_calloc(size_t count, size_t bytes);
void* mallard_realloc(void* p, size_t bytes);
void* mallard_reallocarray(void* p, size_t count, size_t bytes);
void mallard_free(void* p);

/* Effects: the same, given what was asked for: the hardened build has a use for it, this one has not. */
void mallard_free_sized(void* p, size_t bytes);
void mallard_free_aligned_sized(void* p, size_t alignment, size_t bytes);

/* Effects: blocks at a multiple of `alignment`, a power of two, of which mallard_memalign takes the next. */
void* mallard_aligned_alloc(size_t alignment, size_t bytes);
int mallard_posix_memalign(void** out, size_t alignment, size_t bytes);
void* mallard_memalign(size_t alignment, size_t bytes);

/* Effects: the bytes that may be used of the block; 0 of a null pointer. */
size_t mallard_malloc_usable_size(void* p);

#ifdef __cplusplus
}
#endif

#endif
