// malloc_usable_size, which has to know routed blocks.
#include <dlfcn.h>
#include <malloc.h>

#include "preload/caller.hpp"
#include "route/preload/hook.hpp"

MALLARD_ENTRY std::size_t malloc_usable_size(void* block) noexcept {
  using type = std::size_t(void*);
  if (mallard::route::process.range.has(block)) {
    return mallard::route::routed_bytes(block);
  }
  static type* const next = reinterpret_cast<type*>(dlsym(RTLD_NEXT, "malloc_usable_size"));
  return next != nullptr ? next(block) : 0;
}
