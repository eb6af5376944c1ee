/* Purpose: llheap's names for functions of mallard/malloc/malloc.h, for programs that use llheap.
 *
 * The library does not export them: if a preloaded malloc had a function called `resize`, it would
 * replace other libraries' functions of that name. malloc_request_size and malloc_zero_fill need
 * the sticky build. There is no malloc_stats_clear, as there are no counters to clear. */
#ifndef MALLARD_LLHEAP_NAMES_H
#define MALLARD_LLHEAP_NAMES_H

#include "mallard/malloc/malloc.h"

static inline void* aalloc(size_t count, size_t bytes) {
  return mallard_array_alloc(count, bytes);
}
static inline void* amemalign(size_t alignment, size_t count, size_t bytes) {
  return mallard_array_memalign(alignment, count, bytes);
}
static inline void* cmemalign(size_t alignment, size_t count, size_t bytes) {
  return mallard_array_memalign_zeroed(alignment, count, bytes);
}
static inline void* resize(void* p, size_t bytes) {
  return mallard_resize(p, bytes);
}
static inline void* resizearray(void* p, size_t count, size_t bytes) {
  return mallard_resize_array(p, count, bytes);
}
static inline void* aligned_resize(void* p, size_t alignment, size_t bytes) {
  return mallard_aligned_resize(p, alignment, bytes);
}
static inline void* aligned_resizearray(void* p, size_t alignment, size_t count, size_t bytes) {
  return mallard_aligned_resize_array(p, alignment, count, bytes);
}
static inline void* aligned_realloc(void* p, size_t alignment, size_t bytes) {
  return mallard_aligned_realloc(p, alignment, bytes);
}
static inline void* aligned_reallocarray(void* p, size_t alignment, size_t count, size_t bytes) {
  return mallard_aligned_realloc_array(p, alignment, count, bytes);
}
static inline int posix_realloc(void** p, size_t bytes) {
  return mallard_posix_realloc(p, bytes);
}
static inline int posix_reallocarray(void** p, size_t count, size_t bytes) {
  return mallard_posix_realloc_array(p, count, bytes);
}
static inline int posix_aligned_realloc(void** p, size_t alignment, size_t bytes) {
  return mallard_posix_aligned_realloc(p, alignment, bytes);
}
static inline int posix_aligned_reallocarray(void** p, size_t alignment, size_t count,
                                             size_t bytes) {
  return mallard_posix_aligned_realloc_array(p, alignment, count, bytes);
}
static inline size_t malloc_alignment(const void* p) {
  return mallard_alignment(p);
}
static inline size_t malloc_request_size(const void* p) {
  return mallard_request_size(p);
}
static inline int malloc_zero_fill(const void* p) {
  return mallard_zero_fill(p);
}
static inline int malloc_remote(const void* p) {
  return mallard_is_remote(p);
}
static inline size_t malloc_unfreed(void) {
  return mallard_unfreed_bytes();
}
static inline int malloc_stats_fd(int descriptor) {
  return mallard_stats_descriptor(descriptor);
}
static inline int malloc_stats_all(int all) {
  return mallard_stats_all(all);
}

#endif
