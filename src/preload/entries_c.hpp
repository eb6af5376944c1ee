// Hooks for the names of C, POSIX and glibc. A library includes this once, where its `hook` is
// known. Each hook calls the original function of its name. If the program has none, it calls
// another function that does the same.
//
// `hook` has the functions below. `call()` calls the original function; `through` and `caller` say
// which entry point was called and by whom:
//
//   void* allocation(through, bytes, alignment (0: none requested), caller, call)  null: no memory
//   void free(through, block, caller, call)
//   void* reallocation(through, block, bytes, caller, call)
//   void* throwing_new(through, bytes, alignment, caller, call)  lets exceptions of call() pass
//   void failure(through, bytes, caller)  of a function that such an operator called
//   std::size_t& in_new()  the thread's word of preload/in_new.hpp
//   void unloaded()        dlclose was called
#pragma once

#include <errno.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "preload/caller.hpp"
#include "preload/in_new.hpp"
#include "preload/next.hpp"

namespace {

using namespace mallard::preload;

using malloc_type = void*(std::size_t);
using free_type = void(void*);
using calloc_type = void*(std::size_t, std::size_t);
using realloc_type = void*(void*, std::size_t);
using reallocarray_type = void*(void*, std::size_t, std::size_t);
using memalign_type = void*(std::size_t, std::size_t);
using posix_memalign_type = int(void**, std::size_t, std::size_t);
using free_sized_type = void(void*, std::size_t);
using free_aligned_sized_type = void(void*, std::size_t, std::size_t);

[[gnu::always_inline]] inline void* plain_malloc(function which, std::size_t bytes) noexcept {
  malloc_type* const call = next<malloc_type>(which);
  return call != nullptr ? call(bytes) : early_allocate(bytes);
}

[[gnu::always_inline]] inline void plain_free(function which, void* block) noexcept {
  if (free_type* const call = next<free_type>(which)) return call(block);
  if (free_type* const call = next<free_type>(function::free)) call(block);
}

void* plain_calloc(function which, std::size_t count, std::size_t bytes) noexcept {
  calloc_type* const call = next<calloc_type>(which);
  return call != nullptr ? call(count, bytes) : early_allocate(count * bytes);
}

void* plain_realloc(function which, void* block, std::size_t bytes) noexcept {
  if (is_early(block)) [[unlikely]] {
    void* const moved = plain_malloc(function::malloc, bytes);
    // At least this much is readable: early memory or static data follows.
    if (moved != nullptr) std::memcpy(moved, block, bytes < 1024 ? bytes : 1024);
    return moved;
  }
  return next<realloc_type>(which)(block, bytes);
}

[[gnu::always_inline]] inline void* hooked_malloc(
    function which, std::size_t bytes, const mallard::unwind::frame_state& caller) noexcept {
  if (hook::in_new() != 0 && hook::in_new() == malloc_in_new(bytes)) [[unlikely]] {
    void* const block = taken_by_new(hook::in_new(), plain_malloc(which, bytes));
    if (block == nullptr) [[unlikely]]
      hook::failure(which, bytes, caller);
    return block;
  }
  return hook::allocation(which, bytes, 0, caller, [=] { return plain_malloc(which, bytes); });
}

[[gnu::always_inline]] inline void hooked_plain_free(
    function which, void* block, const mallard::unwind::frame_state& caller) noexcept {
  if (is_early(block)) [[unlikely]]
    return;
  hook::free(which, block, caller, [=] { plain_free(which, block); });
}

// As many as no request has where they are too many to be a number: then nobody serves it.
std::size_t product(std::size_t count, std::size_t bytes) noexcept {
  std::size_t out = 0;
  return __builtin_mul_overflow(count, bytes, &out) ? SIZE_MAX : out;
}

void* hooked_calloc(function which, std::size_t count, std::size_t bytes,
                    const mallard::unwind::frame_state& caller) noexcept {
  return hook::allocation(which, product(count, bytes), 0, caller,
                          [=] { return plain_calloc(which, count, bytes); });
}

void* hooked_aligned(function which, std::size_t alignment, std::size_t bytes,
                     const mallard::unwind::frame_state& caller) noexcept {
  const auto call_next = [=]() -> void* {
    if (memalign_type* const call = next<memalign_type>(which)) return call(alignment, bytes);
    return next<memalign_type>(function::memalign)(alignment, bytes);
  };
  if (hook::in_new() == aligned_in_new) return taken_by_new(hook::in_new(), call_next());
  return hook::allocation(which, bytes, alignment, caller, call_next);
}

int hooked_posix_memalign(function which, void** out, std::size_t alignment, std::size_t bytes,
                          const mallard::unwind::frame_state& caller) noexcept {
  // A wrong argument is no want of memory.
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) {
    return next<posix_memalign_type>(which)(out, alignment, bytes);
  }
  int error = 0;
  const auto call_next = [&]() -> void* {
    error = next<posix_memalign_type>(which)(out, alignment, bytes);
    return error == 0 ? *out : nullptr;
  };
  void* const block = hook::in_new() == aligned_in_new
                          ? taken_by_new(hook::in_new(), call_next())
                          : hook::allocation(which, bytes, alignment, caller, call_next);
  if (block != nullptr) *out = block;
  return error;
}

// For blocks of whole pages.
void* hooked_pages(function which, std::size_t bytes,
                   const mallard::unwind::frame_state& caller) noexcept {
  constexpr std::size_t page = 4096;
  return hook::allocation(which, bytes, page, caller, [=]() -> void* {
    if (malloc_type* const call = next<malloc_type>(which)) return call(bytes);
    return next<memalign_type>(function::memalign)(page, bytes);
  });
}

}  // namespace

MALLARD_ENTRY void* malloc(std::size_t bytes) noexcept {
  return hooked_malloc(function::malloc, bytes, MALLARD_CALLER());
}
MALLARD_ENTRY void* __libc_malloc(std::size_t bytes) noexcept {
  return hooked_malloc(function::libc_malloc, bytes, MALLARD_CALLER());
}

MALLARD_ENTRY void free(void* block) noexcept {
  hooked_plain_free(function::free, block, MALLARD_CALLER());
}
MALLARD_ENTRY void __libc_free(void* block) noexcept {
  hooked_plain_free(function::libc_free, block, MALLARD_CALLER());
}
MALLARD_ENTRY void cfree(void* block) noexcept {
  hooked_plain_free(function::cfree, block, MALLARD_CALLER());
}

MALLARD_ENTRY void* calloc(std::size_t count, std::size_t bytes) noexcept {
  return hooked_calloc(function::calloc, count, bytes, MALLARD_CALLER());
}
MALLARD_ENTRY void* __libc_calloc(std::size_t count, std::size_t bytes) noexcept {
  return hooked_calloc(function::libc_calloc, count, bytes, MALLARD_CALLER());
}

MALLARD_ENTRY void* realloc(void* block, std::size_t bytes) noexcept {
  return hook::reallocation(function::realloc, block, bytes, MALLARD_CALLER(),
                            [=] { return plain_realloc(function::realloc, block, bytes); });
}
MALLARD_ENTRY void* __libc_realloc(void* block, std::size_t bytes) noexcept {
  return hook::reallocation(function::libc_realloc, block, bytes, MALLARD_CALLER(),
                            [=] { return plain_realloc(function::libc_realloc, block, bytes); });
}
MALLARD_ENTRY void* reallocarray(void* block, std::size_t count, std::size_t bytes) noexcept {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) all = SIZE_MAX;  // which nobody has
  return hook::reallocation(function::reallocarray, block, all, MALLARD_CALLER(), [=]() -> void* {
    if (reallocarray_type* const call = next<reallocarray_type>(function::reallocarray)) {
      return call(block, count, bytes);
    }
    return plain_realloc(function::realloc, block, all);
  });
}

MALLARD_ENTRY void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return hooked_aligned(function::memalign, alignment, bytes, MALLARD_CALLER());
}
MALLARD_ENTRY void* __libc_memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return hooked_aligned(function::libc_memalign, alignment, bytes, MALLARD_CALLER());
}
MALLARD_ENTRY void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return hooked_aligned(function::aligned_alloc, alignment, bytes, MALLARD_CALLER());
}

MALLARD_ENTRY int posix_memalign(void** out, std::size_t alignment, std::size_t bytes) noexcept {
  return hooked_posix_memalign(function::posix_memalign, out, alignment, bytes, MALLARD_CALLER());
}
MALLARD_ENTRY int __posix_memalign(void** out, std::size_t alignment, std::size_t bytes) noexcept {
  return hooked_posix_memalign(function::libc_posix_memalign, out, alignment, bytes,
                               MALLARD_CALLER());
}

MALLARD_ENTRY void* valloc(std::size_t bytes) noexcept {
  return hooked_pages(function::valloc, bytes, MALLARD_CALLER());
}
MALLARD_ENTRY void* pvalloc(std::size_t bytes) noexcept {
  return hooked_pages(function::pvalloc, bytes, MALLARD_CALLER());
}
MALLARD_ENTRY void* __libc_valloc(std::size_t bytes) noexcept {
  return hooked_pages(function::libc_valloc, bytes, MALLARD_CALLER());
}
MALLARD_ENTRY void* __libc_pvalloc(std::size_t bytes) noexcept {
  return hooked_pages(function::libc_pvalloc, bytes, MALLARD_CALLER());
}

MALLARD_ENTRY void free_sized(void* block, std::size_t bytes) noexcept {
  hook::free(function::free_sized, block, MALLARD_CALLER(), [=] {
    if (auto* const call = next<free_sized_type>(function::free_sized)) return call(block, bytes);
    plain_free(function::free, block);
  });
}
MALLARD_ENTRY void free_aligned_sized(void* block, std::size_t alignment,
                                      std::size_t bytes) noexcept {
  hook::free(function::free_aligned_sized, block, MALLARD_CALLER(), [=] {
    if (auto* const call = next<free_aligned_sized_type>(function::free_aligned_sized)) {
      return call(block, alignment, bytes);
    }
    plain_free(function::free, block);
  });
}
