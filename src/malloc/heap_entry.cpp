// The names of mallard/malloc/malloc.h for heaps that a program makes itself.
#include <errno.h>

#include "blocks.hpp"
#include "mallard/malloc/malloc.h"
#include "malloc/entry.hpp"
#include "malloc/user_heap.hpp"
#include "malloc_checks.hpp"

namespace {

namespace detail = mallard::detail;

detail::user_heap* of(mallard_heap* heap) noexcept {
  return reinterpret_cast<detail::user_heap*>(heap);
}

}  // namespace

MALLARD_ENTRY mallard_heap* mallard_heap_create(void) {
  detail::user_heap* const heap = detail::user_heap::create();
  if (heap == nullptr) errno = ENOMEM;
  return reinterpret_cast<mallard_heap*>(heap);
}

MALLARD_ENTRY void* mallard_heap_allocate(mallard_heap* heap, size_t bytes, size_t alignment) {
  if (alignment != 0 && (alignment & (alignment - 1)) != 0) {
    errno = EINVAL;
    return nullptr;
  }
  detail::checks::in_use(heap);
  void* const p = detail::blocks::allocate_from(*of(heap), bytes, alignment == 0 ? 1 : alignment);
  if (p == nullptr) {
    errno = ENOMEM;
    return nullptr;
  }
  return p;
}

MALLARD_ENTRY void mallard_heap_free(mallard_heap*, void* p) {
  detail::deallocate(p);
}

MALLARD_ENTRY int mallard_heap_owns(const mallard_heap* heap, const void* p) {
  if (p == nullptr) return 0;
  void* const block = const_cast<void*>(p);
  const detail::slice_mark mark = detail::mark_of(block);
  return detail::is_of_user_heap(mark) &&
         detail::user_heap::of(block, mark) == of(const_cast<mallard_heap*>(heap));
}

MALLARD_ENTRY void mallard_heap_destroy(mallard_heap* heap) {
  if (heap == nullptr) return;
  detail::checks::in_use(heap);
  of(heap)->destroy();
}
