// Hooks for the names of C++. A library includes this once, where its `hook` is known. A hook on
// malloc is not enough: it would lose the caller of `new` if the C++ runtime is in between. A
// program may have its own operators, so each hook calls the original one; in a program without the
// C++ runtime, malloc and free.
#pragma once

#include <cstddef>
#include <new>

#include "preload/caller.hpp"
#include "preload/entries_c.hpp"
#include "preload/in_new.hpp"
#include "preload/next.hpp"
#include "unwind/module_of.hpp"

namespace {

using namespace mallard::preload;
using std::align_val_t;
using std::nothrow_t;
using std::size_t;

void* by_malloc(size_t bytes, size_t alignment) {
  using aligned_type = void*(size_t, size_t);
  if (alignment <= alignof(std::max_align_t)) {
    return next<malloc_type>(function::malloc)(bytes == 0 ? 1 : bytes);
  }
  return next<aligned_type>(function::memalign)(alignment, bytes == 0 ? 1 : bytes);
}

// There is no memory, and the lookup has not found the C++ runtime. The calling module has it, so
// its operator new decides what to do.
[[gnu::cold, gnu::noinline]] void* fail_as_the_runtime_does(
    size_t bytes, const mallard::unwind::frame_state& caller) {
  const mallard::unwind::module_range module = mallard::unwind::module_of(caller.ip - 1);
  if (module.module != nullptr) {
    if (void* const handle = dlopen(module.module->l_name, RTLD_LAZY | RTLD_NOLOAD)) {
      using throw_type = void();
      if (auto* const fail =
              reinterpret_cast<throw_type*>(dlsym(handle, "_ZSt17__throw_bad_allocv"))) {
        fail();
      }
    }
  }
  (void)bytes;
  __builtin_trap();
}

[[gnu::always_inline]] inline void* new_plain(function which, size_t bytes,
                                              const mallard::unwind::frame_state& caller) {
  using type = void*(size_t);
  return hook::throwing_new(which, bytes, 0, caller, [&]() -> void* {
    if (type* const call = next<type>(which)) return call(bytes);
    if (void* const block = by_malloc(bytes, 0)) return block;
    return fail_as_the_runtime_does(bytes, caller);
  });
}

[[gnu::always_inline]] inline void* new_aligned(function which, size_t bytes, align_val_t alignment,
                                                const mallard::unwind::frame_state& caller) {
  using type = void*(size_t, align_val_t);
  return hook::throwing_new(which, bytes, static_cast<size_t>(alignment), caller, [&]() -> void* {
    if (type* const call = next<type>(which)) return call(bytes, alignment);
    if (void* const block = by_malloc(bytes, static_cast<size_t>(alignment))) return block;
    return fail_as_the_runtime_does(bytes, caller);
  });
}

[[gnu::always_inline]] inline void* new_or_null(
    function which, size_t bytes, const nothrow_t& tag,
    const mallard::unwind::frame_state& caller) noexcept {
  using type = void*(size_t, const nothrow_t&);
  return hook::allocation(which, bytes, 0, caller, [&]() -> void* {
    if (type* const call = next<type>(which)) return call(bytes, tag);
    return by_malloc(bytes, 0);
  });
}

[[gnu::always_inline]] inline void* new_aligned_or_null(
    function which, size_t bytes, align_val_t alignment, const nothrow_t& tag,
    const mallard::unwind::frame_state& caller) noexcept {
  using type = void*(size_t, align_val_t, const nothrow_t&);
  return hook::allocation(which, bytes, static_cast<size_t>(alignment), caller, [&]() -> void* {
    if (type* const call = next<type>(which)) return call(bytes, alignment, tag);
    return by_malloc(bytes, static_cast<size_t>(alignment));
  });
}

template <class... More>
[[gnu::always_inline]] inline void deleted(function which, void* block,
                                           const mallard::unwind::frame_state& caller,
                                           More... more) noexcept {
  hook::free(which, block, caller, [&] {
    using type = void(void*, More...);
    if (type* const call = next<type>(which)) return call(block, more...);
    next<free_type>(function::free)(block);
  });
}

}  // namespace

#define MALLARD_OPERATOR [[gnu::visibility("default")]]

MALLARD_OPERATOR void* operator new(size_t n) {
  return new_plain(function::new_one, n, MALLARD_CALLER());
}
MALLARD_OPERATOR void* operator new[](size_t n) {
  return new_plain(function::new_array, n, MALLARD_CALLER());
}
MALLARD_OPERATOR void* operator new(size_t n, align_val_t a) {
  return new_aligned(function::new_aligned, n, a, MALLARD_CALLER());
}
MALLARD_OPERATOR void* operator new[](size_t n, align_val_t a) {
  return new_aligned(function::new_array_aligned, n, a, MALLARD_CALLER());
}
MALLARD_OPERATOR void* operator new(size_t n, const nothrow_t& tag) noexcept {
  return new_or_null(function::new_nothrow, n, tag, MALLARD_CALLER());
}
MALLARD_OPERATOR void* operator new[](size_t n, const nothrow_t& tag) noexcept {
  return new_or_null(function::new_array_nothrow, n, tag, MALLARD_CALLER());
}
MALLARD_OPERATOR void* operator new(size_t n, align_val_t a, const nothrow_t& tag) noexcept {
  return new_aligned_or_null(function::new_aligned_nothrow, n, a, tag, MALLARD_CALLER());
}
MALLARD_OPERATOR void* operator new[](size_t n, align_val_t a, const nothrow_t& tag) noexcept {
  return new_aligned_or_null(function::new_array_aligned_nothrow, n, a, tag, MALLARD_CALLER());
}

MALLARD_OPERATOR void operator delete(void* p) noexcept {
  deleted(function::delete_one, p, MALLARD_CALLER());
}
MALLARD_OPERATOR void operator delete[](void* p) noexcept {
  deleted(function::delete_array, p, MALLARD_CALLER());
}
MALLARD_OPERATOR void operator delete(void* p, size_t n) noexcept {
  deleted(function::delete_sized, p, MALLARD_CALLER(), n);
}
MALLARD_OPERATOR void operator delete[](void* p, size_t n) noexcept {
  deleted(function::delete_array_sized, p, MALLARD_CALLER(), n);
}
MALLARD_OPERATOR void operator delete(void* p, align_val_t a) noexcept {
  deleted(function::delete_aligned, p, MALLARD_CALLER(), a);
}
MALLARD_OPERATOR void operator delete[](void* p, align_val_t a) noexcept {
  deleted(function::delete_array_aligned, p, MALLARD_CALLER(), a);
}
MALLARD_OPERATOR void operator delete(void* p, size_t n, align_val_t a) noexcept {
  deleted(function::delete_sized_aligned, p, MALLARD_CALLER(), n, a);
}
MALLARD_OPERATOR void operator delete[](void* p, size_t n, align_val_t a) noexcept {
  deleted(function::delete_array_sized_aligned, p, MALLARD_CALLER(), n, a);
}
MALLARD_OPERATOR void operator delete(void* p, const nothrow_t& tag) noexcept {
  deleted<const nothrow_t&>(function::delete_nothrow, p, MALLARD_CALLER(), tag);
}
MALLARD_OPERATOR void operator delete[](void* p, const nothrow_t& tag) noexcept {
  deleted<const nothrow_t&>(function::delete_array_nothrow, p, MALLARD_CALLER(), tag);
}
MALLARD_OPERATOR void operator delete(void* p, align_val_t a, const nothrow_t& tag) noexcept {
  deleted<align_val_t, const nothrow_t&>(function::delete_aligned_nothrow, p, MALLARD_CALLER(), a,
                                         tag);
}
MALLARD_OPERATOR void operator delete[](void* p, align_val_t a, const nothrow_t& tag) noexcept {
  deleted<align_val_t, const nothrow_t&>(function::delete_array_aligned_nothrow, p,
                                         MALLARD_CALLER(), a, tag);
}
