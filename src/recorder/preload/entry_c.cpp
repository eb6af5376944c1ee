// The names of C, POSIX and glibc, recorded. Each calls on to the function of its own name; only
// where the program has none, to one that does the same.
#include <errno.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "recorder/preload/hook.hpp"

namespace {

using namespace mallard::recorder;

using malloc_type = void*(std::size_t);
using free_type = void(void*);
using calloc_type = void*(std::size_t, std::size_t);
using realloc_type = void*(void*, std::size_t);
using reallocarray_type = void*(void*, std::size_t, std::size_t);
using memalign_type = void*(std::size_t, std::size_t);
using posix_memalign_type = int(void**, std::size_t, std::size_t);
using free_sized_type = void(void*, std::size_t);
using free_aligned_sized_type = void(void*, std::size_t, std::size_t);

void* plain_malloc(function which, std::size_t bytes) noexcept {
  malloc_type* const call = next<malloc_type>(which);
  return call != nullptr ? call(bytes) : early_allocate(bytes);
}

void plain_free(function which, void* block) noexcept {
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
    // At least as much can be read there: what is behind it is early memory, or static data.
    if (moved != nullptr) std::memcpy(moved, block, bytes < 1024 ? bytes : 1024);
    return moved;
  }
  return next<realloc_type>(which)(block, bytes);
}

void* recorded_malloc(function which, std::size_t bytes, const frame_state& caller) noexcept {
  if (this_thread.in_new == malloc_in_new(bytes)) [[unlikely]] {
    return taken_by_new(plain_malloc(which, bytes));
  }
  return recorded_allocation(which, bytes, 0, caller, [=] { return plain_malloc(which, bytes); });
}

void recorded_plain_free(function which, void* block, const frame_state& caller) noexcept {
  if (is_early(block)) [[unlikely]]
    return;
  recorded_free(which, block, caller, [=] { plain_free(which, block); });
}

void* recorded_calloc(function which, std::size_t count, std::size_t bytes,
                      const frame_state& caller) noexcept {
  return recorded_allocation(which, count * bytes, 0, caller,
                             [=] { return plain_calloc(which, count, bytes); });
}

// Effects: as of one that allocates, frees, or moves a block, whichever it turns out to be. Its
// cost is always known, so that the instant before it is, too: that is when the old block's place
// became free for others.
template <class Call>
void* recorded_realloc(function which, void* block, std::size_t bytes, const frame_state& caller,
                       Call call) noexcept {
  if (block == nullptr) return recorded_allocation(which, bytes, 0, caller, call);
  entered log;
  if (!log.frees()) return call();
  const std::uint64_t address = reinterpret_cast<std::uint64_t>(block);
  if (log.only_frees()) {
    log->write_freed(address);
    return call();
  }
  const std::uint64_t began = now();
  void* const result = call();
  const std::uint64_t time = now();
  if (result != nullptr) {
    log->write({message::reallocate, which, 0, time, reinterpret_cast<std::uint64_t>(result), bytes,
                address},
               caller, time - began);
  } else if (bytes == 0) {
    log->write({message::free, which, 0, began, address, 0, 0}, caller, time - began);
  }
  return result;
}

void* recorded_aligned(function which, std::size_t alignment, std::size_t bytes,
                       const frame_state& caller) noexcept {
  const auto call_next = [=]() -> void* {
    if (memalign_type* const call = next<memalign_type>(which)) return call(alignment, bytes);
    return next<memalign_type>(function::memalign)(alignment, bytes);
  };
  if (this_thread.in_new == aligned_in_new) return taken_by_new(call_next());
  return recorded_allocation(which, bytes, alignment, caller, call_next);
}

int recorded_posix_memalign(function which, void** out, std::size_t alignment, std::size_t bytes,
                            const frame_state& caller) noexcept {
  int error = 0;
  const auto call_next = [&]() -> void* {
    error = next<posix_memalign_type>(which)(out, alignment, bytes);
    return error == 0 ? *out : nullptr;
  };
  if (this_thread.in_new == aligned_in_new) {
    taken_by_new(call_next());
  } else {
    recorded_allocation(which, bytes, alignment, caller, call_next);
  }
  return error;
}

// With blocks of whole pages.
void* recorded_pages(function which, std::size_t bytes, const frame_state& caller) noexcept {
  constexpr std::size_t page = 4096;
  return recorded_allocation(which, bytes, page, caller, [=]() -> void* {
    if (malloc_type* const call = next<malloc_type>(which)) return call(bytes);
    return next<memalign_type>(function::memalign)(page, bytes);
  });
}

}  // namespace

MALLARD_RECORDED void* malloc(std::size_t bytes) noexcept {
  return recorded_malloc(function::malloc, bytes, MALLARD_CALLER());
}
MALLARD_RECORDED void* __libc_malloc(std::size_t bytes) noexcept {
  return recorded_malloc(function::libc_malloc, bytes, MALLARD_CALLER());
}

MALLARD_RECORDED void free(void* block) noexcept {
  recorded_plain_free(function::free, block, MALLARD_CALLER());
}
MALLARD_RECORDED void __libc_free(void* block) noexcept {
  recorded_plain_free(function::libc_free, block, MALLARD_CALLER());
}
MALLARD_RECORDED void cfree(void* block) noexcept {
  recorded_plain_free(function::cfree, block, MALLARD_CALLER());
}

MALLARD_RECORDED void* calloc(std::size_t count, std::size_t bytes) noexcept {
  return recorded_calloc(function::calloc, count, bytes, MALLARD_CALLER());
}
MALLARD_RECORDED void* __libc_calloc(std::size_t count, std::size_t bytes) noexcept {
  return recorded_calloc(function::libc_calloc, count, bytes, MALLARD_CALLER());
}

MALLARD_RECORDED void* realloc(void* block, std::size_t bytes) noexcept {
  return recorded_realloc(function::realloc, block, bytes, MALLARD_CALLER(),
                          [=] { return plain_realloc(function::realloc, block, bytes); });
}
MALLARD_RECORDED void* __libc_realloc(void* block, std::size_t bytes) noexcept {
  return recorded_realloc(function::libc_realloc, block, bytes, MALLARD_CALLER(),
                          [=] { return plain_realloc(function::libc_realloc, block, bytes); });
}
MALLARD_RECORDED void* reallocarray(void* block, std::size_t count, std::size_t bytes) noexcept {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) {
    errno = ENOMEM;
    return nullptr;
  }
  return recorded_realloc(function::reallocarray, block, all, MALLARD_CALLER(), [=]() -> void* {
    if (reallocarray_type* const call = next<reallocarray_type>(function::reallocarray)) {
      return call(block, count, bytes);
    }
    return plain_realloc(function::realloc, block, all);
  });
}

MALLARD_RECORDED void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return recorded_aligned(function::memalign, alignment, bytes, MALLARD_CALLER());
}
MALLARD_RECORDED void* __libc_memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return recorded_aligned(function::libc_memalign, alignment, bytes, MALLARD_CALLER());
}
MALLARD_RECORDED void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return recorded_aligned(function::aligned_alloc, alignment, bytes, MALLARD_CALLER());
}

MALLARD_RECORDED int posix_memalign(void** out, std::size_t alignment, std::size_t bytes) noexcept {
  return recorded_posix_memalign(function::posix_memalign, out, alignment, bytes, MALLARD_CALLER());
}
MALLARD_RECORDED int __posix_memalign(void** out, std::size_t alignment,
                                      std::size_t bytes) noexcept {
  return recorded_posix_memalign(function::libc_posix_memalign, out, alignment, bytes,
                                 MALLARD_CALLER());
}

MALLARD_RECORDED void* valloc(std::size_t bytes) noexcept {
  return recorded_pages(function::valloc, bytes, MALLARD_CALLER());
}
MALLARD_RECORDED void* pvalloc(std::size_t bytes) noexcept {
  return recorded_pages(function::pvalloc, bytes, MALLARD_CALLER());
}
MALLARD_RECORDED void* __libc_valloc(std::size_t bytes) noexcept {
  return recorded_pages(function::libc_valloc, bytes, MALLARD_CALLER());
}
MALLARD_RECORDED void* __libc_pvalloc(std::size_t bytes) noexcept {
  return recorded_pages(function::libc_pvalloc, bytes, MALLARD_CALLER());
}

MALLARD_RECORDED void free_sized(void* block, std::size_t bytes) noexcept {
  recorded_free(function::free_sized, block, MALLARD_CALLER(), [=] {
    if (auto* const call = next<free_sized_type>(function::free_sized)) return call(block, bytes);
    plain_free(function::free, block);
  });
}
MALLARD_RECORDED void free_aligned_sized(void* block, std::size_t alignment,
                                         std::size_t bytes) noexcept {
  recorded_free(function::free_aligned_sized, block, MALLARD_CALLER(), [=] {
    if (auto* const call = next<free_aligned_sized_type>(function::free_aligned_sized)) {
      return call(block, alignment, bytes);
    }
    plain_free(function::free, block);
  });
}
