// The names of C++. A failure calls the new handler and throws.
//
// A program may replace some of them, and then those that it has not replaced must call its own
// (after [new.delete.single] and [new.delete.array]): so each calls the one it stands for by its
// name. All are weak, so that the static library gives way to the program's.
#include <cstddef>
#include <new>

#include "mallard/detail/core/or_null.hpp"
#include "malloc/blocks.hpp"
#include "malloc/cpp_runtime.hpp"
#include "malloc/whole_malloc.hpp"

#define MALLARD_ENTRY [[gnu::visibility("default"), gnu::weak]]

// Profiles recognise malloc's own frames by this name.
namespace mallard::inline v1::detail::entries {
namespace {

using detail::checks;

// After [new.delete.single]: as long as there is a handler, calls it and tries again.
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

// Out of line, so that the hot path saves no registers.
template <class Allocate>
[[gnu::noinline]] void* allocate_or_throw(Allocate allocate) {
  if (void* const p = allocate()) [[likely]] {
    return p;
  }
  return allocate_with_handler(allocate);
}

auto of(std::size_t bytes) {
  return [=] { return detail::blocks::allocate_another(bytes); };
}

auto of(std::size_t bytes, std::align_val_t alignment) {
  return
      [=] { return detail::blocks::allocate_aligned(bytes, static_cast<std::size_t>(alignment)); };
}

checks::said_size of_size(std::size_t bytes, std::align_val_t alignment = std::align_val_t{1}) {
  return {bytes, static_cast<std::size_t>(alignment)};
}

}  // namespace
}  // namespace mallard::inline v1::detail::entries

namespace {

namespace detail = mallard::detail;
using namespace detail::entries;

}  // namespace

using std::align_val_t;
using std::nothrow_t;
using std::size_t;

MALLARD_ENTRY void* operator new(size_t n) {
  if (void* const p = detail::blocks::allocate_at_hand(n)) [[likely]] {
    return p;
  }
  return allocate_or_throw(of(n));
}
MALLARD_ENTRY void* operator new(size_t n, align_val_t a) {
  if (void* const p = detail::blocks::allocate_aligned_at_hand(n, static_cast<size_t>(a)))
      [[likely]] {
    return p;
  }
  return allocate_or_throw(of(n, a));
}
MALLARD_ENTRY void* operator new[](size_t n) {
  return ::operator new(n);
}
MALLARD_ENTRY void* operator new[](size_t n, align_val_t a) {
  return ::operator new(n, a);
}
MALLARD_ENTRY void* operator new(size_t n, const nothrow_t&) noexcept {
  return mallard::detail::or_null([=] { return ::operator new(n); });
}
MALLARD_ENTRY void* operator new[](size_t n, const nothrow_t&) noexcept {
  return mallard::detail::or_null([=] { return ::operator new[](n); });
}
MALLARD_ENTRY void* operator new(size_t n, align_val_t a, const nothrow_t&) noexcept {
  return mallard::detail::or_null([=] { return ::operator new(n, a); });
}
MALLARD_ENTRY void* operator new[](size_t n, align_val_t a, const nothrow_t&) noexcept {
  return mallard::detail::or_null([=] { return ::operator new[](n, a); });
}

MALLARD_ENTRY void operator delete(void* p) noexcept {
  detail::deallocate(p);
}
MALLARD_ENTRY void operator delete(void* p, align_val_t a) noexcept {
  checks::said_alignment(p, static_cast<size_t>(a));
  detail::deallocate(p);
}
MALLARD_ENTRY void operator delete[](void* p) noexcept {
  ::operator delete(p);
}
MALLARD_ENTRY void operator delete[](void* p, align_val_t a) noexcept {
  ::operator delete(p, a);
}
MALLARD_ENTRY void operator delete(void* p, const nothrow_t&) noexcept {
  ::operator delete(p);
}
MALLARD_ENTRY void operator delete[](void* p, const nothrow_t&) noexcept {
  ::operator delete[](p);
}
MALLARD_ENTRY void operator delete(void* p, align_val_t a, const nothrow_t&) noexcept {
  ::operator delete(p, a);
}
MALLARD_ENTRY void operator delete[](void* p, align_val_t a, const nothrow_t&) noexcept {
  ::operator delete[](p, a);
}

// The functions here, even where the program has replaced their names.
#define MALLARD_OWN(name, of) extern "C" [[gnu::visibility("hidden"), gnu::alias(#of)]] void name
MALLARD_OWN(mallard_own_delete, _ZdlPv)(void*) noexcept;
MALLARD_OWN(mallard_own_delete_array, _ZdaPv)(void*) noexcept;
MALLARD_OWN(mallard_own_delete_aligned, _ZdlPvSt11align_val_t)(void*, align_val_t) noexcept;
MALLARD_OWN(mallard_own_delete_array_aligned, _ZdaPvSt11align_val_t)(void*, align_val_t) noexcept;

namespace {

using delete_type = void(void*) noexcept;
using delete_aligned_type = void(void*, align_val_t) noexcept;

// Whether the operator gets a block of ours, whose size can be checked.
bool has_own_delete() noexcept {
  return static_cast<delete_type*>(::operator delete) == mallard_own_delete;
}
bool has_own_delete_array() noexcept {
  return static_cast<delete_type*>(::operator delete[]) == mallard_own_delete_array &&
         has_own_delete();
}
bool has_own_delete_aligned() noexcept {
  return static_cast<delete_aligned_type*>(::operator delete) == mallard_own_delete_aligned;
}
bool has_own_delete_array_aligned() noexcept {
  return static_cast<delete_aligned_type*>(::operator delete[]) ==
             mallard_own_delete_array_aligned &&
         has_own_delete_aligned();
}

}  // namespace

MALLARD_ENTRY void operator delete(void* p, size_t n) noexcept {
  if (checks::knows_sizes && has_own_delete()) return detail::deallocate(p, of_size(n));
  ::operator delete(p);
}
MALLARD_ENTRY void operator delete[](void* p, size_t n) noexcept {
  if (checks::knows_sizes && has_own_delete_array()) return detail::deallocate(p, of_size(n));
  ::operator delete[](p);
}
MALLARD_ENTRY void operator delete(void* p, size_t n, align_val_t a) noexcept {
  if (checks::knows_sizes && has_own_delete_aligned()) {
    checks::said_alignment(p, static_cast<size_t>(a));
    return detail::deallocate(p, of_size(n, a));
  }
  ::operator delete(p, a);
}
MALLARD_ENTRY void operator delete[](void* p, size_t n, align_val_t a) noexcept {
  if (checks::knows_sizes && has_own_delete_array_aligned()) {
    checks::said_alignment(p, static_cast<size_t>(a));
    return detail::deallocate(p, of_size(n, a));
  }
  ::operator delete[](p, a);
}
