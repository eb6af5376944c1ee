// Purpose: what every arena has in common: its options, its figures, and its verbs.
//
//   mallard::monotonic_resource arena({.initial_bytes = 64 << 10});
//   void* p = arena.allocate(100);
//   std::size_t bytes = arena.try_expand(p, 100, 200);  // where it is: 200, as p is the last block
//   auto here = arena.mark();
//   arena.rewind(here);  // frees what was allocated since, and destroys what was created
//   (create.hpp)
//
// Complexity: allocate, deallocate, try_expand and shrink O(1), a chunk from upstream now and then;
// the others O(chunks). Thread-safety: none; one thread at a time per arena.
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

// Options of a monotonic_resource or a buffered_resource.
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
  std::size_t in_use_bytes = 0;    // carved so far, with what alignment and chunk ends cost
  std::size_t peak_bytes = 0;      // the most `in_use_bytes` has been; kept by rewind and release
  std::size_t reserved_bytes = 0;  // held, the caller's buffer included
  std::size_t chunks = 0;          // held from upstream
  std::size_t overflowed = 0;      // times that a caller's buffer was left for upstream
};

// The base of the arenas. `Store` holds the memory: it has a `bump_range range`, `carve_slow`,
// `try_carve_slow`, `mark`, `rewind`, `reset`, `release`, `owns` and `stats`, and `take_back` if
// large blocks can come back alone.
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

  // Effects: returns `bytes` bytes aligned to `alignment` (a power of two); never null, distinct
  // for every block, also for 0 bytes.
  // Errors: throws `std::bad_alloc` or what upstream throws, leaving the resource as it was.
  MALLARD_ALWAYS_INLINE void* allocate(std::size_t bytes,
                                       std::size_t alignment = alignof(std::max_align_t)) {
    if (void* const p = store_.range.carve(bytes, alignment)) [[likely]] {
      return p;
    }
    return store_.carve_slow(bytes, alignment);
  }

  // Effects: as `allocate`, but returns null where that throws.
  void* try_allocate(std::size_t bytes,
                     std::size_t alignment = alignof(std::max_align_t)) noexcept {
    if (void* const p = store_.range.carve(bytes, alignment)) return p;
    return store_.try_carve_slow(bytes, alignment);
  }

  // Effects: none for most blocks; their memory comes back by `release`, `reset` or `rewind`. In a
  // monotonic_resource that has never been rewound, reset or released, a block of at least 32 KiB
  // gives its memory back if it has a chunk for itself among the eight newest, or is the block
  // allocated last: so a growing vector leaves little behind.
  MALLARD_ALWAYS_INLINE void deallocate(void* p, std::size_t bytes,
                                        std::size_t = alignof(std::max_align_t)) noexcept {
    detail::poison(p, bytes);
    if constexpr (requires { store_.take_back(p, bytes); }) {
      if (bytes >= Store::taken_back_from_bytes) [[unlikely]]
        store_.take_back(p, bytes);
    }
  }

  // Effects: makes the block of `old` bytes larger where it is, if it is the one allocated last: to
  // `preferred` bytes, or at least to `minimum`, if there is room. Returns its size in bytes now, 0
  // when there is no room for `minimum`, and then nothing has changed.
  std::size_t try_expand(void* p, std::size_t old, std::size_t minimum,
                         std::size_t preferred = 0) noexcept {
    if (preferred > minimum && store_.range.try_expand(p, old, preferred)) {
      return detail::larger(old, preferred);
    }
    return store_.range.try_expand(p, old, minimum) ? detail::larger(old, minimum) : 0;
  }

  // Effects: gives back what is beyond `preferred` bytes if the block is the one allocated last,
  // else nothing. Returns the size now, which is at most `maximum`, or 0 when that cannot be had
  // and nothing has changed.
  std::size_t shrink(void* p, std::size_t old, std::size_t maximum,
                     std::size_t preferred = ~std::size_t{0}) noexcept {
    const std::size_t wanted = detail::smaller(preferred, maximum);
    if (store_.range.shrink(p, old, wanted)) return wanted;
    return old <= maximum ? old : 0;
  }

  // Effects: `rewind(m)` frees what was allocated since `m = mark()` and keeps the memory for
  // reuse. Marks end with the next rewind to an older one, reset or release. Like all that frees,
  // it destroys first what was made there by `create`.
  // Source: the markers of stack allocators, e.g. foonathan/memory.
  mark_type mark() const noexcept { return {store_.mark(), created_.newest()}; }
  MALLARD_BY_LEVEL void rewind(mark_type to) noexcept {
    created_.destroy_down_to(to.newest);
    store_.rewind(to.memory);
  }

  // Effects: frees everything and keeps the memory for reuse (`rewind`), up to `keep_bytes` of it
  // (`reset`), or gives all of it back (`release`). The source of the three is BDE and Zig.
  void rewind() noexcept { reset(~std::size_t{0}); }
  void reset(std::size_t keep_bytes) noexcept {
    created_.destroy_down_to(nullptr);
    store_.reset(keep_bytes);
  }
  void release() noexcept {
    created_.destroy_down_to(nullptr);
    store_.release();
  }

  // For `create`: the object of `record` is destroyed by whatever frees its memory.
  void destroy_with_memory(detail::created_object& record) noexcept { created_.add(record); }

  // Whether the byte at `p` is in memory that the resource allocates from. O(chunks).
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
};

}  // namespace mallard::inline v1
