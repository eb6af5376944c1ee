// The names of mallard/malloc/malloc.h that give memory: arrays, blocks resized without their
// contents or to another alignment.
#include <errno.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "mallard/malloc/malloc.h"
#include "malloc/engine.hpp"
#include "malloc/entry.hpp"
#include "malloc/malloc_heap.hpp"
#include "malloc/user_heap.hpp"

// Profiles recognise malloc's own frames by this name.
namespace mallard::inline v1::detail::entries {
namespace {

using detail::array_bytes;
using detail::is_power_of_two;
using detail::or_errno;
using detail::without_errno;

bool is_aligned(const void* p, std::size_t alignment) noexcept {
  return (detail::address_of(p) & (alignment - 1)) == 0;
}

// There may be no memory for a smaller block: then the old one has to do.
bool stays_when_out_of_memory(const void* p, std::size_t alignment, std::size_t bytes) noexcept {
  if (p == nullptr || !is_aligned(p, alignment) || bytes > detail::usable_bytes(p)) return false;
  detail::checks::kept_larger();
  return true;
}

// The others use this. Sets `*p`, or returns an error and leaves it.
int reallocate(void** p, std::size_t alignment, std::size_t bytes) noexcept {
  if (!is_power_of_two(alignment)) return EINVAL;
  void* const old = *p;
  if (old != nullptr && bytes == 0) {
    detail::deallocate(old);
    *p = nullptr;
    return 0;
  }
  if (old != nullptr && is_aligned(old, alignment) && detail::resize_in_place(old, bytes)) return 0;
  void* moved = nullptr;
  if (old != nullptr && alignment <= detail::malloc_alignment) {
    moved = detail::reallocate(old, bytes);
    if (moved == nullptr) return ENOMEM;
  } else {
    detail::user_heap* const heap = old == nullptr ? nullptr : detail::heap_of(old);
    moved = detail::allocate_beside(heap, bytes, alignment);
    if (moved == nullptr) return stays_when_out_of_memory(old, alignment, bytes) ? 0 : ENOMEM;
    if (old != nullptr) {
      std::memcpy(moved, old, std::min(detail::usable_bytes(old), bytes));
      detail::deallocate(old);
    }
  }
  *p = moved;
  return 0;
}

}  // namespace
}  // namespace mallard::inline v1::detail::entries

namespace {

namespace detail = mallard::detail;
using namespace detail::entries;

}  // namespace

MALLARD_ENTRY void* mallard_array_alloc(std::size_t count, std::size_t bytes) {
  void* const p = detail::allocate(array_bytes(count, bytes));
  return or_errno(p, p == nullptr ? ENOMEM : 0);
}

MALLARD_ENTRY void* mallard_array_memalign(std::size_t alignment, std::size_t count,
                                           std::size_t bytes) {
  return mallard_aligned_realloc_array(nullptr, alignment, count, bytes);
}

MALLARD_ENTRY void* mallard_array_memalign_zeroed(std::size_t alignment, std::size_t count,
                                                  std::size_t bytes) {
  void* const p = mallard_array_memalign(alignment, count, bytes);
  return p == nullptr ? p : std::memset(p, 0, array_bytes(count, bytes));
}

MALLARD_ENTRY void* mallard_aligned_resize(void* p, std::size_t alignment, std::size_t bytes) {
  if (p == nullptr) return mallard_aligned_realloc(p, alignment, bytes);
  const bool is_valid = is_power_of_two(alignment);
  if (bytes == 0 || !is_valid) {
    detail::deallocate(p);
    return bytes == 0 ? nullptr : or_errno(nullptr, EINVAL);
  }
  if (is_aligned(p, alignment) && detail::resize_in_place(p, bytes)) return p;
  void* const now = detail::replace(p, bytes, alignment);
  return or_errno(now, now == nullptr ? ENOMEM : 0);
}

MALLARD_ENTRY void* mallard_aligned_realloc(void* p, std::size_t alignment, std::size_t bytes) {
  const int error = reallocate(&p, alignment, bytes);
  return or_errno(p, error);
}

MALLARD_ENTRY int mallard_posix_aligned_realloc(void** p, std::size_t alignment,
                                                std::size_t bytes) {
  return without_errno([&] { return reallocate(p, alignment, bytes); });
}

MALLARD_ENTRY int mallard_posix_realloc(void** p, std::size_t bytes) {
  return without_errno([&] { return reallocate(p, 1, bytes); });
}

MALLARD_ENTRY std::size_t mallard_alignment(const void* p) {
  const std::uintptr_t address = detail::address_of(p);
  return address & (~address + 1);
}
