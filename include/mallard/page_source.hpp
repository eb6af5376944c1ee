// Purpose: the default upstream: page-aligned chunks, kept warm between uses, shared by all
// threads.
//
//   mallard::page_source* source = mallard::page_source::instance();
//   void* chunk = source->allocate(64 * 1024, 4096);
//   source->deallocate(chunk, 64 * 1024, 4096);
//   std::size_t cached = source->stats().cached_bytes;
//
// Complexity: O(1); up to 256 KiB without a lock when the thread has such a chunk at hand.
// Thread-safety: all members may be called from any thread.
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

// Chunks up to 256 KiB count as the next power of two from 16 KiB on, also where nobody has touched
// all of it.
struct page_source_stats {
  std::size_t mapped_bytes = 0;  // held from the operating system, with memory behind it
  std::size_t in_use_bytes = 0;  // of the mapped: handed out, or in the cache of some thread
  std::size_t cached_bytes = 0;  // of the mapped: warm, waiting in the shared cache
  std::size_t os_maps = 0;  // calls since the start; small chunks come 64 MiB of addresses a call
  std::size_t os_unmaps = 0;
};

// Memory is recycled, not returned and faulted in again: what is given back stays mapped, within
// the cache limit, and the part that nobody asked for since a while ago goes back to the system
// step by step. A step is taken only when somebody calls; an idle process keeps what it has.
class MALLARD_API page_source final : public detail::by_base<page_source> {
 public:
  // The one source of the process. It is never destroyed.
  static page_source* instance() noexcept;

  // Effects: returns `bytes` bytes rounded up to pages, aligned to a page or to `alignment` (a
  // power of two) if that is more. Chunks of 2 MiB and more are aligned for huge pages. What is to
  // be aligned to its size, 1 or 2 KiB, shares a page with others.
  // Errors: throws `std::bad_alloc` when the operating system refuses.
  void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));
  void* try_allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept;

  // Effects: takes a chunk back; `bytes` and `alignment` as it was allocated.
  void deallocate(void* p, std::size_t bytes,
                  std::size_t alignment = alignof(std::max_align_t)) noexcept;

  // Effects: with `on` false, chunks go straight back to the system: larger ones are unmapped, the
  // memory of smaller ones, up to 256 KiB, is purged. Other threads first use up the few chunks
  // they have at hand, and what comes back while another thread gives memory back waits for the
  // next.
  void set_caching(bool on) noexcept;

  // Effects: while caching is on, at most `bytes` stay in the shared cache. The start value is an
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
