// Purpose: the default upstream: page-aligned chunks, shared by all threads, warm between uses.
//
//   mallard::page_source* source = mallard::page_source::instance();
//   void* chunk = source->allocate(64 * 1024, 4096);
//   source->deallocate(chunk, 64 * 1024, 4096);
//   std::size_t cached = source->stats().cached_bytes;
//
// Complexity: O(1); chunks up to 256 KiB without a lock if the thread's cache has one.
// Thread-safety: any thread may call all members.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"  // IWYU pragma: keep
#include "mallard/detail/resources/by_base.hpp"

namespace mallard::inline v1 {

namespace detail {
struct page_source_holder;
}

// Chunks up to 256 KiB count as the next power of two from 16 KiB on, even if nobody has touched
// all of it.
struct page_source_stats {
  std::size_t mapped_bytes = 0;  // held from the operating system, with memory behind it
  std::size_t in_use_bytes = 0;  // of these, handed out or in some thread's cache
  std::size_t cached_bytes = 0;  // of these, warm in the shared cache
  std::size_t os_maps = 0;  // calls so far; one call reserves 64 MiB of addresses for small chunks
  std::size_t os_unmaps = 0;
};

// Freed chunks stay mapped, within the cache limit, so that they need not be faulted in again. The
// part that nobody has requested for a while goes back to the system step by step. Only calls take
// such steps; an idle process keeps what it has.
class MALLARD_API page_source final : public detail::by_base<page_source> {
 public:
  // Returns: the one source of the process. It is never destroyed.
  static page_source* instance() noexcept;

  // Effects: allocates `bytes` bytes rounded up to pages, aligned to a page or to `alignment` (a
  // power of two) if that is more. Chunks of 2 MiB and more are aligned for huge pages. A chunk of
  // 1 or 2 KiB that is aligned to its size shares a page with others.
  // Errors: throws `std::bad_alloc` if the operating system refuses.
  void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));
  void* try_allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept;

  // Effects: frees a chunk; `bytes` and `alignment` are those of its allocation.
  void deallocate(void* p, std::size_t bytes,
                  std::size_t alignment = alignof(std::max_align_t)) noexcept;

  // Effects: with `on` false, freed chunks go straight to the system: it unmaps larger ones and
  // purges those up to 256 KiB. Other threads first use up the few chunks in their caches. A chunk
  // freed while another thread gives memory back waits for the next call.
  void set_caching(bool on) noexcept;

  // Effects: while caching is on, at most `bytes` stay in the shared cache. The initial limit is an
  // eighth of the memory.
  void set_cache_limit(std::size_t bytes) noexcept;

  // Effects: returns the shared cache and the calling thread's to the system. Returns the bytes.
  std::size_t trim() noexcept;

  page_source_stats stats() const noexcept;

 private:
  friend struct detail::page_source_holder;
  constexpr page_source() noexcept = default;

  MALLARD_COLD void* allocate_slow(std::size_t bytes, std::size_t alignment);
};

namespace detail {

// Constant-initialised and never destroyed, so that it serves static objects of any order.
struct MALLARD_API page_source_holder {
  union MALLARD_API {
    page_source source;
  };
  constexpr page_source_holder() noexcept : source() {}
  ~page_source_holder() {}
};
MALLARD_API extern page_source_holder the_page_source;

}  // namespace detail

inline page_source* page_source::instance() noexcept {
  return &detail::the_page_source.source;
}

}  // namespace mallard::inline v1
