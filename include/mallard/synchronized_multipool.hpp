// Purpose: a multipool for many threads: each works on its own slabs, without a lock.
//
//   mallard::synchronized_multipool_resource pool;
//   std::jthread other([&] { std::pmr::vector<int> v(1000, &pool); });
//   std::pmr::list<int> mine(1000, &pool);
//
// Complexity: as multipool_resource. A remote free is handed over with up to 64 others in one
// atomic step, at the latest when the thread that freed it needs memory or ends.
// Thread-safety: any thread may call allocate, deallocate and trim at any time; release, stats and
// the destructor require that no other call is in flight. One thread at a time calls upstream,
// unless it is the page source or the standard library's new_delete_resource(). No other lock of
// the library is held then: upstream may lock, throw, or use other resources.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/detail/config.hpp"
#include "mallard/detail/core/class_requests.hpp"
#include "mallard/detail/core/size_classes.hpp"
#include "mallard/detail/resources/thread_heaps.hpp"
#include "mallard/multipool.hpp"
#include "mallard/page_source.hpp"
#include "mallard/resource_ref.hpp"

namespace mallard::inline v1 {

struct synchronized_multipool_options {
  std::size_t empty_slabs_kept = 3;  // for each thread; as in multipool_options

  // As std's pools report theirs: the values that really hold.
  operator std::pmr::pool_options() const noexcept { return detail::actual_pool_options(); }
};

struct synchronized_multipool_stats {
  std::size_t in_use_bytes = 0;    // of blocks in use, rounded up to their size classes
  std::size_t reserved_bytes = 0;  // held from upstream
  std::size_t slabs = 0;
  std::size_t empty_slabs = 0;
  std::size_t orphan_slabs = 0;     // left by threads that have ended, until others adopt them
  std::size_t oversize_blocks = 0;  // above `largest_pooled_bytes`
  std::size_t threads = 0;          // that have used the resource and have not ended
};

// Threads that need memory adopt the slabs of threads that have ended. After a fork the child keeps
// what its one thread had; it loses the free memory of the other threads, whose blocks stay valid.
class MALLARD_API synchronized_multipool_resource : public std::pmr::memory_resource {
 public:
  static constexpr std::size_t largest_pooled_bytes = detail::largest_block_bytes;

  // Allocates nothing before the first request. `upstream` must outlive the resource. Over an arena
  // the resource keeps every empty slab for reuse, as multipool_resource does.
  synchronized_multipool_resource() noexcept
      : synchronized_multipool_resource(synchronized_multipool_options{}) {}
  explicit synchronized_multipool_resource(upstream_ref upstream) noexcept
      : synchronized_multipool_resource(synchronized_multipool_options{}, upstream) {}
  explicit synchronized_multipool_resource(synchronized_multipool_options options,
                                           upstream_ref upstream = page_source::instance()) noexcept
      : options_(detail::options_over(options, upstream.takes_back())),
        heaps_(upstream.get(), detail::reserve_of(options_.empty_slabs_kept),
               !upstream.takes_back()) {}
  explicit synchronized_multipool_resource(pool_hints,
                                           upstream_ref upstream = page_source::instance()) noexcept
      : synchronized_multipool_resource(synchronized_multipool_options{}, upstream) {}

  // Effects: allocates at least `bytes` bytes, aligned to `alignment` (a power of two).
  // Returns: the block, never null. Live blocks are distinct, also those of 0 bytes.
  // Errors: throws `std::bad_alloc` or what upstream throws; the resource stays as it was.
  MALLARD_ALWAYS_INLINE void* allocate(std::size_t bytes,
                                       std::size_t alignment = alignof(std::max_align_t)) {
    const detail::size_granule granule = detail::granule_asked_for(bytes, alignment);
    if (!granule.is_looked_up()) [[unlikely]] {
      return allocate_beyond_table(bytes, alignment);
    }
    return detail::allocate_by_granule(heaps_, granule, bytes);
  }

  // Effects: as `allocate`, but returns null instead of throwing.
  void* try_allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept;

  // Effects: frees a block of this resource, whichever thread allocated it; `bytes` and `alignment`
  // are those of its allocation.
  MALLARD_ALWAYS_INLINE void deallocate(
      void* p, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
    const detail::size_granule granule = detail::granule_asked_for(bytes, alignment);
    if (!granule.is_looked_up()) [[unlikely]] {
      return deallocate_beyond_table(p, bytes, alignment);
    }
    detail::deallocate_by_granule(heaps_, granule, p);
  }

  // Effects: returns all memory to upstream, including blocks in use; the resource is as new.
  // O(slabs + oversize blocks + threads).
  void release() noexcept { heaps_.release(); }

  // Effects: returns the empty slabs of the calling thread and of ended threads to upstream.
  // Returns the bytes.
  std::size_t trim() noexcept { return heaps_.trim(); }

  // O(slabs).
  synchronized_multipool_stats stats() const noexcept;
  synchronized_multipool_options options() const noexcept { return options_; }
  std::pmr::memory_resource* upstream_resource() const noexcept {
    return heaps_.upstream_resource();
  }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  void* allocate_beyond_table(std::size_t bytes, std::size_t alignment);
  void deallocate_beyond_table(void* p, std::size_t bytes, std::size_t alignment) noexcept;

  synchronized_multipool_options options_;
  mutable detail::thread_heaps heaps_;  // counting collects remote frees
};

}  // namespace mallard::inline v1
