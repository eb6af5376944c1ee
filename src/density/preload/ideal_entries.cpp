// The C and C++ names of the ideal malloc.
#include <errno.h>
#include <malloc.h>

#include <cstddef>
#include <new>

#include "density/preload/ideal_malloc.hpp"
#include "preload/caller.hpp"

namespace {

using namespace mallard::density;

void* or_no_memory(void* block) noexcept {
  if (block == nullptr) [[unlikely]]
    errno = ENOMEM;
  return block;
}

bool is_alignment(std::size_t value) noexcept {
  return value != 0 && (value & (value - 1)) == 0;
}

void* aligned(std::size_t alignment, std::size_t bytes) noexcept {
  if (is_alignment(alignment)) return or_no_memory(ideal_allocate(bytes, alignment));
  errno = EINVAL;
  return nullptr;
}

// Without memory the run says nothing about the bound, so the process ends; the caller sees how it
// ended.
void* or_end(void* block) noexcept {
  if (block == nullptr) [[unlikely]]
    __builtin_trap();
  return block;
}

constexpr std::size_t page = 4096;

}  // namespace

MALLARD_ENTRY void* malloc(std::size_t bytes) noexcept {
  return or_no_memory(ideal_allocate(bytes));
}
MALLARD_ENTRY void free(void* block) noexcept {
  ideal_free(block);
}
MALLARD_ENTRY void cfree(void* block) noexcept {
  ideal_free(block);
}
MALLARD_ENTRY void* calloc(std::size_t count, std::size_t bytes) noexcept {
  return or_no_memory(ideal_allocate_zeroed(count, bytes));
}
MALLARD_ENTRY void* realloc(void* block, std::size_t bytes) noexcept {
  if (block != nullptr && bytes == 0) {
    ideal_free(block);
    return nullptr;
  }
  return or_no_memory(ideal_reallocate(block, bytes));
}
MALLARD_ENTRY void* reallocarray(void* block, std::size_t count, std::size_t bytes) noexcept {
  std::size_t all = 0;
  if (!__builtin_mul_overflow(count, bytes, &all)) return realloc(block, all);
  errno = ENOMEM;
  return nullptr;
}
MALLARD_ENTRY void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return aligned(alignment, bytes);
}
MALLARD_ENTRY void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return aligned(alignment, bytes);
}
MALLARD_ENTRY int posix_memalign(void** out, std::size_t alignment, std::size_t bytes) noexcept {
  if (!is_alignment(alignment) || alignment < sizeof(void*)) return EINVAL;
  void* const block = ideal_allocate(bytes, alignment);
  if (block == nullptr) return ENOMEM;
  *out = block;
  return 0;
}
MALLARD_ENTRY void* valloc(std::size_t bytes) noexcept {
  return aligned(page, bytes);
}
MALLARD_ENTRY void* pvalloc(std::size_t bytes) noexcept {
  return aligned(page, (bytes + page - 1) & ~(page - 1));
}
MALLARD_ENTRY std::size_t malloc_usable_size(void* block) noexcept {
  return ideal_usable(block);
}

[[gnu::visibility("default")]] void* operator new(std::size_t bytes) {
  return or_end(ideal_allocate(bytes));
}
[[gnu::visibility("default")]] void* operator new[](std::size_t bytes) {
  return or_end(ideal_allocate(bytes));
}
[[gnu::visibility("default")]] void operator delete(void* block) noexcept {
  ideal_free(block);
}
[[gnu::visibility("default")]] void operator delete[](void* block) noexcept {
  ideal_free(block);
}
[[gnu::visibility("default")]] void operator delete(void* block, std::size_t) noexcept {
  ideal_free(block);
}
[[gnu::visibility("default")]] void operator delete[](void* block, std::size_t) noexcept {
  ideal_free(block);
}
