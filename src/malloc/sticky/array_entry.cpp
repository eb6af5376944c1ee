// The names of mallard/malloc.h that give memory or tell of a block, of the sticky build.
#include <errno.h>

#include <cstdint>

#include "mallard/malloc.h"
#include "malloc/malloc_heap.hpp"
#include "malloc/sticky/sticky_block.hpp"

#define MALLARD_ENTRY extern "C" [[gnu::visibility("default")]]

namespace {

namespace engine = mallard::detail::sticky;

std::size_t product(std::size_t count, std::size_t bytes) noexcept {
  std::size_t all = 0;
  return __builtin_mul_overflow(count, bytes, &all) ? SIZE_MAX : all;
}

bool is_alignment(std::size_t n) noexcept {
  return n != 0 && (n & (n - 1)) == 0;
}

// Stands for the alignment that the block was asked for with.
constexpr std::size_t as_it_is = 0;

// What the others come down to. Sets `*p`, or returns ENOMEM and leaves it.
int reallocate(void** p, std::size_t alignment, std::size_t bytes) noexcept {
  void* const old = *p;
  if (old != nullptr && bytes == 0) {
    engine::deallocate(old);
    *p = nullptr;
    return 0;
  }
  void* now = nullptr;
  if (old == nullptr) {
    now = alignment == as_it_is ? engine::allocate(bytes)
                                : engine::allocate_aligned(bytes, alignment);
  } else {
    now = alignment == as_it_is ? engine::reallocate(old, bytes)
                                : engine::reallocate_aligned(old, bytes, alignment);
  }
  if (now == nullptr) return ENOMEM;
  *p = now;
  return 0;
}

// The posix forms must not touch errno, whatever the system does.
int reallocate_quietly(void** p, std::size_t alignment, std::size_t bytes) noexcept {
  const int before = errno;
  const int error = reallocate(p, alignment, bytes);
  errno = before;
  return error;
}

void* or_errno(void* p, int error) noexcept {
  if (error == 0) return p;
  errno = error;
  return nullptr;
}

void* or_no_memory(void* p) noexcept {
  return or_errno(p, p == nullptr ? ENOMEM : 0);
}

}  // namespace

MALLARD_ENTRY void* mallard_array_alloc(std::size_t count, std::size_t bytes) {
  return or_no_memory(engine::allocate(product(count, bytes)));
}

MALLARD_ENTRY void* mallard_array_memalign(std::size_t alignment, std::size_t count,
                                           std::size_t bytes) {
  if (!is_alignment(alignment)) return or_errno(nullptr, EINVAL);
  return or_no_memory(engine::allocate_aligned(product(count, bytes), alignment));
}

MALLARD_ENTRY void* mallard_array_memalign_zeroed(std::size_t alignment, std::size_t count,
                                                  std::size_t bytes) {
  if (!is_alignment(alignment)) return or_errno(nullptr, EINVAL);
  return or_no_memory(engine::allocate_aligned_zeroed(product(count, bytes), alignment));
}

MALLARD_ENTRY void* mallard_aligned_resize(void* p, std::size_t alignment, std::size_t bytes) {
  if (p != nullptr && (bytes == 0 || !is_alignment(alignment))) {
    engine::deallocate(p);
    if (bytes == 0) return nullptr;
  }
  if (!is_alignment(alignment)) return or_errno(nullptr, EINVAL);
  return or_no_memory(p == nullptr ? engine::allocate_aligned(bytes, alignment)
                                   : engine::resize(p, bytes, alignment));
}

MALLARD_ENTRY void* mallard_aligned_resize_array(void* p, std::size_t alignment, std::size_t count,
                                                 std::size_t bytes) {
  return mallard_aligned_resize(p, alignment, product(count, bytes));
}

MALLARD_ENTRY void* mallard_resize(void* p, std::size_t bytes) {
  return mallard_aligned_resize(p, 1, bytes);
}

MALLARD_ENTRY void* mallard_resize_array(void* p, std::size_t count, std::size_t bytes) {
  return mallard_resize(p, product(count, bytes));
}

MALLARD_ENTRY void* mallard_aligned_realloc(void* p, std::size_t alignment, std::size_t bytes) {
  if (!is_alignment(alignment)) return or_errno(nullptr, EINVAL);
  const int error = reallocate(&p, alignment, bytes);
  return or_errno(p, error);
}

MALLARD_ENTRY void* mallard_aligned_realloc_array(void* p, std::size_t alignment, std::size_t count,
                                                  std::size_t bytes) {
  return mallard_aligned_realloc(p, alignment, product(count, bytes));
}

MALLARD_ENTRY int mallard_posix_aligned_realloc(void** p, std::size_t alignment,
                                                std::size_t bytes) {
  return is_alignment(alignment) ? reallocate_quietly(p, alignment, bytes) : EINVAL;
}

MALLARD_ENTRY int mallard_posix_aligned_realloc_array(void** p, std::size_t alignment,
                                                      std::size_t count, std::size_t bytes) {
  return mallard_posix_aligned_realloc(p, alignment, product(count, bytes));
}

MALLARD_ENTRY int mallard_posix_realloc(void** p, std::size_t bytes) {
  return reallocate_quietly(p, as_it_is, bytes);
}

MALLARD_ENTRY int mallard_posix_realloc_array(void** p, std::size_t count, std::size_t bytes) {
  return reallocate_quietly(p, as_it_is, product(count, bytes));
}

MALLARD_ENTRY std::size_t mallard_request_size(const void* p) {
  return p == nullptr ? 0 : engine::record_of(p).request;
}

MALLARD_ENTRY int mallard_zero_fill(const void* p) {
  return p != nullptr && engine::record_of(p).zero_fill ? 1 : 0;
}

MALLARD_ENTRY std::size_t mallard_alignment(const void* p) {
  return p == nullptr ? 0 : engine::record_of(p).alignment;
}

MALLARD_ENTRY int mallard_is_remote(const void* p) {
  if (p == nullptr) return 0;
  const engine::slice_mark mark = engine::mark_of(p);
  const bool of_slab = mark >= engine::mark_limit;
  return of_slab && engine::malloc_heap::of_mark(mark) != engine::cache.heap ? 1 : 0;
}
