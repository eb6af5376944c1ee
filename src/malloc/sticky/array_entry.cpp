// The names of mallard/malloc/malloc.h that give memory or describe a block, in the sticky build.
#include <errno.h>

#include <cstdint>

#include "mallard/malloc/malloc.h"
#include "malloc/entry.hpp"
#include "malloc/malloc_heap.hpp"
#include "malloc/sticky/sticky_block.hpp"

namespace {

namespace sticky = mallard::detail::sticky;
using mallard::detail::array_bytes;
using mallard::detail::is_power_of_two;
using mallard::detail::or_errno;
using mallard::detail::without_errno;

// Stands for the alignment that the block was asked for with.
constexpr std::size_t as_it_is = 0;

// The others use this. Sets `*p`, or returns ENOMEM and leaves it.
int reallocate(void** p, std::size_t alignment, std::size_t bytes) noexcept {
  void* const old = *p;
  if (old != nullptr && bytes == 0) {
    mallard::detail::deallocate(old);
    *p = nullptr;
    return 0;
  }
  void* now = nullptr;
  if (old == nullptr) {
    now = alignment == as_it_is ? sticky::allocate(bytes)
                                : sticky::allocate_aligned(bytes, alignment);
  } else {
    now = alignment == as_it_is ? sticky::reallocate(old, bytes)
                                : sticky::reallocate_aligned(old, bytes, alignment);
  }
  if (now == nullptr) return ENOMEM;
  *p = now;
  return 0;
}

void* or_no_memory(void* p) noexcept {
  return or_errno(p, p == nullptr ? ENOMEM : 0);
}

}  // namespace

MALLARD_ENTRY void* mallard_array_alloc(std::size_t count, std::size_t bytes) {
  return or_no_memory(sticky::allocate(array_bytes(count, bytes)));
}

MALLARD_ENTRY void* mallard_array_memalign(std::size_t alignment, std::size_t count,
                                           std::size_t bytes) {
  if (!is_power_of_two(alignment)) return or_errno(nullptr, EINVAL);
  return or_no_memory(sticky::allocate_aligned(array_bytes(count, bytes), alignment));
}

MALLARD_ENTRY void* mallard_array_memalign_zeroed(std::size_t alignment, std::size_t count,
                                                  std::size_t bytes) {
  if (!is_power_of_two(alignment)) return or_errno(nullptr, EINVAL);
  return or_no_memory(sticky::allocate_aligned_zeroed(array_bytes(count, bytes), alignment));
}

MALLARD_ENTRY void* mallard_aligned_resize(void* p, std::size_t alignment, std::size_t bytes) {
  if (p != nullptr && (bytes == 0 || !is_power_of_two(alignment))) {
    mallard::detail::deallocate(p);
    if (bytes == 0) return nullptr;
  }
  if (!is_power_of_two(alignment)) return or_errno(nullptr, EINVAL);
  return or_no_memory(p == nullptr ? sticky::allocate_aligned(bytes, alignment)
                                   : sticky::resize(p, bytes, alignment));
}

MALLARD_ENTRY void* mallard_aligned_realloc(void* p, std::size_t alignment, std::size_t bytes) {
  if (!is_power_of_two(alignment)) return or_errno(nullptr, EINVAL);
  const int error = reallocate(&p, alignment, bytes);
  return or_errno(p, error);
}

MALLARD_ENTRY int mallard_posix_aligned_realloc(void** p, std::size_t alignment,
                                                std::size_t bytes) {
  return is_power_of_two(alignment) ? without_errno([&] { return reallocate(p, alignment, bytes); })
                                    : EINVAL;
}

MALLARD_ENTRY int mallard_posix_realloc(void** p, std::size_t bytes) {
  return without_errno([&] { return reallocate(p, as_it_is, bytes); });
}

MALLARD_ENTRY std::size_t mallard_request_size(const void* p) {
  return p == nullptr ? 0 : sticky::record_of(p).request;
}

MALLARD_ENTRY int mallard_zero_fill(const void* p) {
  return p != nullptr && sticky::record_of(p).zero_fill ? 1 : 0;
}

MALLARD_ENTRY std::size_t mallard_alignment(const void* p) {
  return p == nullptr ? 0 : sticky::record_of(p).alignment;
}
