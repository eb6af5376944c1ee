// The names of mallard/malloc/malloc.h that only call others, the same in every build: array forms
// and what follows from a block's mark.
#include "mallard/malloc/malloc.h"
#include "malloc/entry.hpp"
#include "malloc/malloc_heap.hpp"
#include "malloc/scope.hpp"

namespace {

namespace detail = mallard::detail;

}  // namespace

MALLARD_ENTRY void* mallard_aligned_resize_array(void* p, std::size_t alignment, std::size_t count,
                                                 std::size_t bytes) {
  return mallard_aligned_resize(p, alignment, detail::array_bytes(count, bytes));
}

MALLARD_ENTRY void* mallard_resize(void* p, std::size_t bytes) {
  return mallard_aligned_resize(p, 1, bytes);
}

MALLARD_ENTRY void* mallard_resize_array(void* p, std::size_t count, std::size_t bytes) {
  return mallard_resize(p, detail::array_bytes(count, bytes));
}

MALLARD_ENTRY void* mallard_aligned_realloc_array(void* p, std::size_t alignment, std::size_t count,
                                                  std::size_t bytes) {
  return mallard_aligned_realloc(p, alignment, detail::array_bytes(count, bytes));
}

MALLARD_ENTRY int mallard_posix_aligned_realloc_array(void** p, std::size_t alignment,
                                                      std::size_t count, std::size_t bytes) {
  return mallard_posix_aligned_realloc(p, alignment, detail::array_bytes(count, bytes));
}

MALLARD_ENTRY int mallard_posix_realloc_array(void** p, std::size_t count, std::size_t bytes) {
  return mallard_posix_realloc(p, detail::array_bytes(count, bytes));
}

MALLARD_ENTRY int mallard_is_remote(const void* p) {
  if (p == nullptr) return 0;
  const detail::slice_mark mark = detail::mark_of(p);
  const bool of_slab = mark.is_slab();
  return of_slab && mark.heap() != detail::own_cache().heap ? 1 : 0;
}
