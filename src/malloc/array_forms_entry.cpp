// The names of mallard/malloc.h that come down to others, in every build alike: array forms and
// what follows from a block's mark.
#include "mallard/malloc.h"
#include "malloc/entry.hpp"
#include "malloc/malloc_heap.hpp"

namespace {

namespace engine = mallard::detail;

}  // namespace

MALLARD_ENTRY void* mallard_aligned_resize_array(void* p, std::size_t alignment, std::size_t count,
                                                 std::size_t bytes) {
  return mallard_aligned_resize(p, alignment, engine::array_bytes(count, bytes));
}

MALLARD_ENTRY void* mallard_resize(void* p, std::size_t bytes) {
  return mallard_aligned_resize(p, 1, bytes);
}

MALLARD_ENTRY void* mallard_resize_array(void* p, std::size_t count, std::size_t bytes) {
  return mallard_resize(p, engine::array_bytes(count, bytes));
}

MALLARD_ENTRY void* mallard_aligned_realloc_array(void* p, std::size_t alignment, std::size_t count,
                                                  std::size_t bytes) {
  return mallard_aligned_realloc(p, alignment, engine::array_bytes(count, bytes));
}

MALLARD_ENTRY int mallard_posix_aligned_realloc_array(void** p, std::size_t alignment,
                                                      std::size_t count, std::size_t bytes) {
  return mallard_posix_aligned_realloc(p, alignment, engine::array_bytes(count, bytes));
}

MALLARD_ENTRY int mallard_posix_realloc_array(void** p, std::size_t count, std::size_t bytes) {
  return mallard_posix_realloc(p, engine::array_bytes(count, bytes));
}

MALLARD_ENTRY int mallard_is_remote(const void* p) {
  if (p == nullptr) return 0;
  const engine::slice_mark mark = engine::mark_of(p);
  const bool of_slab = mark >= engine::mark_limit;
  return of_slab && engine::malloc_heap::of_mark(mark) != engine::cache.heap ? 1 : 0;
}
