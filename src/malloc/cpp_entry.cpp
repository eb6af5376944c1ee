// The names of C++. What fails calls the new handler and throws.
#include <cstddef>
#include <new>

#include "block_calls.hpp"
#include "cpp_runtime.hpp"

#define MALLARD_ENTRY [[gnu::visibility("default")]]

namespace {

namespace engine = mallard::block_calls;
using engine::checks;

// After [new.delete.single]: as long as there is a handler, it is called and allocation tried
// again.
template <class Allocate>
[[gnu::cold, gnu::noinline]] void* allocate_with_handler(Allocate allocate) {
  for (;;) {
    const std::new_handler handler = mallard::detail::new_handler_of_runtime();
    if (handler == nullptr) break;
    handler();
    if (void* const p = allocate()) return p;
  }
  mallard::detail::throw_bad_alloc();
}

template <class Allocate>
MALLARD_ALWAYS_INLINE void* allocate_or_throw(Allocate allocate) {
  if (void* const p = allocate()) [[likely]] {
    return p;
  }
  return allocate_with_handler(allocate);
}

template <class Allocate>
MALLARD_ALWAYS_INLINE void* allocate_or_null(Allocate allocate) noexcept {
  if (void* const p = allocate()) [[likely]] {
    return p;
  }
  try {
    return allocate_with_handler(allocate);
  } catch (...) {
    return nullptr;
  }
}

auto of(std::size_t bytes) {
  return [=] { return engine::allocate(bytes); };
}

auto of(std::size_t bytes, std::align_val_t alignment) {
  return [=] { return engine::allocate_aligned(bytes, static_cast<std::size_t>(alignment)); };
}

checks::said_size of_size(std::size_t bytes, std::align_val_t alignment = std::align_val_t{1}) {
  return {bytes, static_cast<std::size_t>(alignment)};
}

}  // namespace

using std::align_val_t;
using std::nothrow_t;
using std::size_t;

MALLARD_ENTRY void* operator new(size_t n) {
  return allocate_or_throw(of(n));
}
MALLARD_ENTRY void* operator new[](size_t n) {
  return allocate_or_throw(of(n));
}
MALLARD_ENTRY void* operator new(size_t n, align_val_t a) {
  return allocate_or_throw(of(n, a));
}
MALLARD_ENTRY void* operator new[](size_t n, align_val_t a) {
  return allocate_or_throw(of(n, a));
}
MALLARD_ENTRY void* operator new(size_t n, const nothrow_t&) noexcept {
  return allocate_or_null(of(n));
}
MALLARD_ENTRY void* operator new[](size_t n, const nothrow_t&) noexcept {
  return allocate_or_null(of(n));
}
MALLARD_ENTRY void* operator new(size_t n, align_val_t a, const nothrow_t&) noexcept {
  return allocate_or_null(of(n, a));
}
MALLARD_ENTRY void* operator new[](size_t n, align_val_t a, const nothrow_t&) noexcept {
  return allocate_or_null(of(n, a));
}

// A block is found by its address: no form needs more. A size that is given can be checked.
MALLARD_ENTRY void operator delete(void* p) noexcept {
  engine::deallocate(p);
}
MALLARD_ENTRY void operator delete[](void* p) noexcept {
  engine::deallocate(p);
}
MALLARD_ENTRY void operator delete(void* p, size_t n) noexcept {
  engine::deallocate(p, of_size(n));
}
MALLARD_ENTRY void operator delete[](void* p, size_t n) noexcept {
  engine::deallocate(p, of_size(n));
}
MALLARD_ENTRY void operator delete(void* p, align_val_t) noexcept {
  engine::deallocate(p);
}
MALLARD_ENTRY void operator delete[](void* p, align_val_t) noexcept {
  engine::deallocate(p);
}
MALLARD_ENTRY void operator delete(void* p, size_t n, align_val_t a) noexcept {
  engine::deallocate(p, of_size(n, a));
}
MALLARD_ENTRY void operator delete[](void* p, size_t n, align_val_t a) noexcept {
  engine::deallocate(p, of_size(n, a));
}
MALLARD_ENTRY void operator delete(void* p, const nothrow_t&) noexcept {
  engine::deallocate(p);
}
MALLARD_ENTRY void operator delete[](void* p, const nothrow_t&) noexcept {
  engine::deallocate(p);
}
MALLARD_ENTRY void operator delete(void* p, align_val_t, const nothrow_t&) noexcept {
  engine::deallocate(p);
}
MALLARD_ENTRY void operator delete[](void* p, align_val_t, const nothrow_t&) noexcept {
  engine::deallocate(p);
}
