// The names of mallard/malloc/malloc.h for a program's own heaps, and their scopes.
#include <errno.h>

#include "mallard/malloc/malloc.h"
#include "malloc/blocks.hpp"
#include "malloc/entry.hpp"
#include "malloc/malloc_checks.hpp"
#include "malloc/scope.hpp"
#include "malloc/user_heap.hpp"

namespace {

namespace detail = mallard::detail;

detail::user_heap* of(mallard_heap* heap) noexcept {
  return reinterpret_cast<detail::user_heap*>(heap);
}
detail::open_scope* of(mallard_scope* scope) noexcept {
  return reinterpret_cast<detail::open_scope*>(scope);
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
  return detail::heap_of(p) == of(const_cast<mallard_heap*>(heap));
}

MALLARD_ENTRY void mallard_heap_destroy(mallard_heap* heap) {
  if (heap == nullptr) return;
  detail::checks::in_use(heap);
  of(heap)->destroy();
}

MALLARD_ENTRY mallard_scope* mallard_scope_begin(mallard_heap* heap) {
  if (heap != nullptr) detail::checks::in_use(heap);
  return reinterpret_cast<mallard_scope*>(detail::begin_scope(of(heap)));
}

MALLARD_ENTRY std::size_t mallard_scope_survivors(const mallard_scope* scope) {
  return scope == nullptr ? 0 : detail::blocks_in_use(of(const_cast<mallard_scope*>(scope)));
}

MALLARD_ENTRY std::size_t mallard_scope_end(mallard_scope* scope) {
  return scope == nullptr ? 0 : detail::end_scope(of(scope));
}
