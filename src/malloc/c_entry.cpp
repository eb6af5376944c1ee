// The names of C, POSIX and glibc. They report errors by null and errno.
#include <errno.h>
#include <malloc.h>
#include <unistd.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "mallard/detail/os/pages.hpp"
#include "malloc/blocks.hpp"
#include "malloc/entry.hpp"

// Profiles recognise malloc's own frames by this name.
namespace mallard::inline v1::detail::entries {
namespace {

using detail::checks;
using mallard::detail::array_bytes;
using mallard::detail::is_power_of_two;

[[gnu::cold, gnu::noinline]] void* out_of_memory() noexcept {
  errno = ENOMEM;
  return nullptr;
}

MALLARD_ALWAYS_INLINE void* or_errno(void* p) noexcept {
  if (p == nullptr) [[unlikely]] {
    return out_of_memory();
  }
  return p;
}

MALLARD_ALWAYS_INLINE void* aligned(std::size_t alignment, std::size_t bytes) noexcept {
  return or_errno(detail::blocks::allocate_aligned(bytes, alignment));
}

// The rest of `aligned_alloc`.
[[gnu::noinline]] void* aligned_with_checks(std::size_t alignment, std::size_t bytes) noexcept {
  if (!is_power_of_two(alignment)) {
    errno = EINVAL;
    return nullptr;
  }
  return aligned(alignment, bytes);
}

// The rest of `malloc`, out of line so that the hot path saves no registers.
[[gnu::noinline]] void* allocated(std::size_t bytes) noexcept {
  return or_errno(detail::blocks::allocate_another(bytes));
}

// The rest of `realloc`.
[[gnu::noinline]] void* reallocated(void* p, std::size_t bytes) noexcept {
  if (p == nullptr) return or_errno(detail::blocks::allocate(bytes));
  if (bytes == 0) {
    detail::deallocate(p);
    return nullptr;
  }
  return or_errno(detail::blocks::reallocate(p, bytes));
}

[[gnu::noinline]] void* resized(void* p, std::size_t bytes) noexcept {
  if (void* const moved = detail::blocks::resize_at_hand(p, bytes)) [[likely]] {
    return moved;
  }
  return reallocated(p, bytes);
}

}  // namespace
}  // namespace mallard::inline v1::detail::entries

namespace {

namespace detail = mallard::detail;
using namespace detail::entries;

}  // namespace

MALLARD_ENTRY void* MALLARD_NAME(malloc)(std::size_t bytes) MALLARD_NOEXCEPT {
  if (void* const p = detail::blocks::allocate_at_hand(bytes)) [[likely]] {
    return p;
  }
  return allocated(bytes);
}

MALLARD_ENTRY void MALLARD_NAME(free)(void* p) MALLARD_NOEXCEPT {
  detail::deallocate(p);
}

MALLARD_ENTRY void* MALLARD_NAME(calloc)(std::size_t count, std::size_t bytes) MALLARD_NOEXCEPT {
  return or_errno(detail::blocks::allocate_zeroed(array_bytes(count, bytes)));
}

MALLARD_ENTRY void* MALLARD_NAME(realloc)(void* p, std::size_t bytes) MALLARD_NOEXCEPT {
  if (detail::blocks::may_stay(p, bytes)) [[likely]] {
    return p;
  }
  return resized(p, bytes);
}

MALLARD_ENTRY void* MALLARD_NAME(reallocarray)(void* p, std::size_t count,
                                               std::size_t bytes) MALLARD_NOEXCEPT {
  return MALLARD_NAME(realloc)(p, array_bytes(count, bytes));
}

MALLARD_ENTRY void* MALLARD_NAME(memalign)(std::size_t alignment,
                                           std::size_t bytes) MALLARD_NOEXCEPT {
  // As glibc does: rounds up to a power of two, if there is one.
  if (alignment > std::size_t{PTRDIFF_MAX} + 1) {
    errno = EINVAL;
    return nullptr;
  }
  return aligned(std::bit_ceil(alignment), bytes);
}

MALLARD_ENTRY void* MALLARD_NAME(aligned_alloc)(std::size_t alignment,
                                                std::size_t bytes) MALLARD_NOEXCEPT {
  // For an alignment of 0 no block is at hand.
  if ((alignment & (alignment - 1)) == 0) [[likely]] {
    if (void* const p = detail::blocks::allocate_aligned_at_hand(bytes, alignment)) [[likely]] {
      return p;
    }
  }
  return aligned_with_checks(alignment, bytes);
}

MALLARD_ENTRY int MALLARD_NAME(posix_memalign)(void** out, std::size_t alignment,
                                               std::size_t bytes) MALLARD_NOEXCEPT {
  if (!is_power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  void* const p = detail::blocks::allocate_aligned(bytes, alignment);
  if (p == nullptr) return ENOMEM;
  *out = p;
  return 0;
}

MALLARD_ENTRY void* MALLARD_NAME(valloc)(std::size_t bytes) MALLARD_NOEXCEPT {
  return aligned(detail::os::page_size(), bytes);
}

MALLARD_ENTRY void* MALLARD_NAME(pvalloc)(std::size_t bytes) MALLARD_NOEXCEPT {
  const std::size_t page = detail::os::page_size();
  const std::size_t pages = detail::round_up(bytes, page);
  return pages < bytes ? out_of_memory() : aligned(page, pages);
}

MALLARD_ENTRY void MALLARD_NAME(cfree)(void* p) noexcept {
  detail::deallocate(p);
}

MALLARD_ENTRY void MALLARD_NAME(free_sized)(void* p, std::size_t bytes) noexcept {
  detail::deallocate(p, checks::said_size(bytes, 1));
}

MALLARD_ENTRY void MALLARD_NAME(free_aligned_sized)(void* p, std::size_t alignment,
                                                    std::size_t bytes) noexcept {
  checks::said_alignment(p, alignment);
  detail::deallocate(p, checks::said_size(bytes, alignment));
}

MALLARD_ENTRY std::size_t MALLARD_NAME(malloc_usable_size)(void* p) MALLARD_NOEXCEPT {
  return p == nullptr ? 0 : detail::blocks::usable_bytes(p);
}

MALLARD_ENTRY int MALLARD_NAME(malloc_trim)(std::size_t) noexcept {
  return detail::trim() ? 1 : 0;
}

// Programs that were linked statically with parts of glibc may call these.
#ifndef MALLARD_PREFIXED
#ifdef __clang__
#define MALLARD_COPY(of)
#else
#define MALLARD_COPY(of) , gnu::copy(of)  // of the attributes that gcc gives to a malloc
#endif
#define MALLARD_ALIAS(name, of) \
  extern "C"[[ gnu::visibility("default"), gnu::alias(#of) MALLARD_COPY(of) ]] decltype(of) name
MALLARD_ALIAS(__libc_malloc, malloc);
MALLARD_ALIAS(__libc_free, free);
MALLARD_ALIAS(__libc_calloc, calloc);
MALLARD_ALIAS(__libc_realloc, realloc);
MALLARD_ALIAS(__libc_memalign, memalign);
MALLARD_ALIAS(__libc_valloc, valloc);
MALLARD_ALIAS(__libc_pvalloc, pvalloc);
MALLARD_ALIAS(__posix_memalign, posix_memalign);
#endif
