// Purpose: the options, figures and verbs that all arenas share.
//
//   mallard::monotonic_resource arena({.initial_bytes = 64 << 10});
//   void* p = arena.allocate(100);
//   std::size_t bytes = arena.try_expand(p, 100, 200);  // in place: 200, as p is the last block
//   auto here = arena.mark();
//   arena.rewind(here);  // frees what was allocated since, and destroys objects of create.hpp
//
// Complexity: allocate, deallocate, try_expand, shrink and mark O(1), sometimes with a chunk from
// upstream; the others O(chunks). Thread-safety: none; one thread at a time per arena.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <utility>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/resources/by_base.hpp"
#include "mallard/detail/resources/created_objects.hpp"

namespace mallard::inline v1 {

// Options of monotonic_resource and buffered_resource.
struct monotonic_options {
  std::size_t initial_bytes = 4096;                     // of the first chunk
  std::size_t max_chunk_bytes = std::size_t{64} << 20;  // chunks double up to here
};

// Options of a reserved_resource.
struct reserved_options {
  // Bytes of address space, not of memory. 0: 64 GiB, or less where the system refuses that, as
  // under `ulimit -v`.
  std::size_t reserve_bytes = 0;
};

struct monotonic_stats {
  std::size_t in_use_bytes = 0;    // of all blocks, with padding for alignment
  std::size_t peak_bytes = 0;      // the highest `in_use_bytes`; rewind and release keep it
  std::size_t reserved_bytes = 0;  // held, with the caller's buffer
  std::size_t chunks = 0;          // held from upstream
  std::size_t overflowed = 0;      // times the buffer was left for a chunk, one-block chunks aside
};

// The base of the arenas. `Store` holds the memory. It has `bump_range range`, `carve_slow`,
// `try_carve_slow`, `mark`, `rewind`, `reset`, `release`, `owns`, `note_peak` and `stats`, and
// `take_back` if it can free single large blocks.
template <class Derived, class Store>
class arena_verbs : public detail::by_base<arena_verbs<Derived, Store>> {
 public:
  static constexpr bool deallocate_is_noop = true;
  struct mark_type {
    typename Store::mark_type memory;
    const detail::created_object* newest = nullptr;
  };

  arena_verbs(const arena_verbs&) = delete;
  arena_verbs& operator=(const arena_verbs&) = delete;

  // Effects: allocates `bytes` bytes, aligned to `alignment` (a power of two).
  // Returns: the block, never null. All blocks are distinct, also those of 0 bytes.
  // Errors: throws `std::bad_alloc` or what upstream throws; the resource stays as it was.
  MALLARD_ALWAYS_INLINE void* allocate(std::size_t bytes,
                                       std::size_t alignment = alignof(std::max_align_t)) {
    if (void* const p = store_.range.carve(bytes, alignment)) [[likely]] {
      return p;
    }
    return store_.carve_slow(bytes, alignment);
  }

  // Effects: as `allocate`, but returns null instead of throwing.
  void* try_allocate(std::size_t bytes,
                     std::size_t alignment = alignof(std::max_align_t)) noexcept {
    if (void* const p = store_.range.carve(bytes, alignment)) return p;
    return store_.try_carve_slow(bytes, alignment);
  }

  // Effects: none for most blocks: `release`, `reset` or `rewind` frees them. A monotonic_resource
  // that was never rewound, reset or released frees a block of at least 32 KiB if it is the last
  // one, or alone in one of the eight newest chunks, unless its chunk existed at the newest mark:
  // so a growing vector leaves little behind. Blocks of alignment 1, as of strings, stay: else a
  // set of strings that dies with its arena would have to be walked for large ones, while the
  // compiler now leaves that out.
  MALLARD_ALWAYS_INLINE void deallocate(
      void* p, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
    detail::poison(p, bytes);
    if constexpr (requires { store_.take_back(p, bytes); }) {
      if (bytes >= Store::taken_back_from_bytes && alignment > 1) [[unlikely]]
        store_.take_back(p, bytes);
    }
  }

  // Effects: grows the block of `old` bytes in place if it was allocated last: to `preferred`
  // bytes, or else to `minimum`, if there is room.
  // Returns: its size in bytes now; 0 if there is no room for `minimum`: then nothing has changed.
  std::size_t try_expand(void* p, std::size_t old, std::size_t minimum,
                         std::size_t preferred = 0) noexcept {
    if (preferred > minimum && store_.range.try_expand(p, old, preferred)) {
      return detail::larger(old, preferred);
    }
    return store_.range.try_expand(p, old, minimum) ? detail::larger(old, minimum) : 0;
  }

  // Effects: frees what is beyond `preferred` bytes, at least one, if the block was allocated last
  // and since the newest mark, else nothing.
  // Returns: its size now, at most `maximum`; 0 if that is not possible: then nothing has changed.
  std::size_t shrink(void* p, std::size_t old, std::size_t maximum,
                     std::size_t preferred = ~std::size_t{0}) noexcept {
    const std::size_t wanted = detail::larger(std::size_t{1}, detail::smaller(preferred, maximum));
    if (wanted < old) store_.note_peak();
    if (wanted <= maximum && store_.range.cursor != marked_ &&
        store_.range.shrink(p, old, wanted)) {
      return wanted;
    }
    return old <= maximum ? old : 0;
  }

  // Effects: `rewind(m)` frees what was allocated since `m = mark()` and keeps the memory for
  // reuse. As everything that frees, it first destroys what `create` made there. A rewind to an
  // older mark, reset and release end the mark.
  // Source: the markers of stack allocators, e.g. foonathan/memory.
  mark_type mark() const noexcept {
    marked_ = store_.range.cursor;
    return {store_.mark(), created_.newest()};
  }
  MALLARD_BY_LEVEL void rewind(mark_type to) noexcept {
    created_.destroy_down_to(to.newest);
    store_.rewind(to.memory);
    marked_ = store_.range.cursor;
  }

  // Effects: frees everything. `rewind` keeps the memory for reuse, `reset` up to `keep_bytes` of
  // it; `release` gives all of it back. Source: BDE and Zig.
  void rewind() noexcept { reset(~std::size_t{0}); }
  void reset(std::size_t keep_bytes) noexcept {
    created_.destroy_down_to(nullptr);
    store_.reset(keep_bytes);
    marked_ = nullptr;
  }
  void release() noexcept {
    created_.destroy_down_to(nullptr);
    store_.release();
    marked_ = nullptr;
  }

  // For `create`: whatever frees the memory of `record` destroys its object.
  void destroy_with_memory(detail::created_object& record) noexcept { created_.add(record); }

  // Returns: whether the byte at `p` is in memory that the resource allocates from. O(chunks).
  bool owns(const void* p) const noexcept { return store_.owns(p); }

  // O(chunks).
  monotonic_stats stats() const noexcept { return store_.stats(); }

 protected:
  template <class... Args>
  explicit arena_verbs(Args&&... args) noexcept : store_(std::forward<Args>(args)...) {}
  ~arena_verbs() override { created_.destroy_down_to(nullptr); }

  const Store& store() const noexcept { return store_; }

 private:
  Store store_;
  detail::created_objects created_;
  mutable const std::byte* marked_ = nullptr;  // the newest mark; what lies before it stays
};

}  // namespace mallard::inline v1
