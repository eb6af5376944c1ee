// Purpose: the verbs that multipools and heaps share, those of one thread and those of many.
//
//   mallard::multipool_resource pool;
//   void* p = pool.allocate(100, 8);
//   pool.deallocate(p, 100, 8);
//   if (void* q = pool.try_allocate(1 << 20)) {  // null where allocate throws
//     pool.deallocate(q, 1 << 20);
//   }
//
// Complexity and thread-safety: see the resource.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory_resource>

#include "mallard/blocks.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/class_requests.hpp"
#include "mallard/detail/core/size_classes.hpp"
#include "mallard/detail/core/slab_set.hpp"
#include "mallard/detail/resources/by_base.hpp"
#include "mallard/page_source.hpp"
#include "mallard/resource_ref.hpp"

namespace mallard::inline v1 {

// The base of the resources with a pool for each size class. `Pools` has the pools, of one thread
// or of many. `Derived` has `allocate_beyond_table` and `deallocate_beyond_table`, for requests
// that are large or empty, and the virtual functions, so that calls by base have the library's
// checks in programs without assertions, too.
template <class Derived, class Pools, class Options>
class pool_verbs : public std::pmr::memory_resource {
 public:
  // In bytes. Larger blocks are not pooled.
  static constexpr std::size_t largest_pooled_bytes = detail::largest_block_bytes;

  // Allocates nothing before the first request. `upstream` must outlive the resource. Over an
  // arena, whose deallocate does nothing, the resource keeps every empty slab for reuse. A plain
  // `memory_resource*` does not tell: set `empty_slabs_kept` yourself then.
  pool_verbs() noexcept : pool_verbs(Options{}) {}
  explicit pool_verbs(upstream_ref upstream) noexcept : pool_verbs(Options{}, upstream) {}
  explicit pool_verbs(Options options, upstream_ref upstream = page_source::instance()) noexcept
      : options_(detail::options_over(options, upstream.takes_back())),
        upstream_ignores_(!upstream.takes_back()),
        pools_(upstream.get(), detail::reserve_of(options_.empty_slabs_kept), upstream_ignores_) {}
  pool_verbs(const pool_verbs&) = delete;
  pool_verbs& operator=(const pool_verbs&) = delete;

  // Effects: allocates at least `bytes` bytes, aligned to `alignment` (a power of two).
  // Returns: the block, never null. Live blocks are distinct, also those of 0 bytes.
  // Errors: throws `std::bad_alloc` or what upstream throws; the resource stays as it was.
  MALLARD_ALWAYS_INLINE void* allocate(std::size_t bytes,
                                       std::size_t alignment = alignof(std::max_align_t)) {
    const detail::size_granule granule = detail::granule_asked_for(bytes, alignment);
    if (!granule.is_looked_up()) [[unlikely]] {
      return static_cast<Derived*>(this)->allocate_beyond_table(bytes, alignment);
    }
    return detail::allocate_by_granule(pools_, granule, bytes);
  }

  // Effects: as `allocate`, but returns null instead of throwing.
  void* try_allocate(std::size_t bytes,
                     std::size_t alignment = alignof(std::max_align_t)) noexcept {
    return detail::allocate_or_null(*this, bytes, alignment);
  }

  // Effects: frees a block of this resource; `bytes` and `alignment` are those of its allocation.
  // A synchronized resource frees blocks of any thread.
  MALLARD_ALWAYS_INLINE void deallocate(
      void* p, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
    const detail::size_granule granule = detail::granule_asked_for(bytes, alignment);
    if (!granule.is_looked_up()) [[unlikely]] {
      return static_cast<Derived*>(this)->deallocate_beyond_table(p, bytes, alignment);
    }
    detail::deallocate_by_granule(pools_, granule, p);
  }

  Options options() const noexcept { return options_; }
  std::pmr::memory_resource* upstream_resource() const noexcept {
    return pools_.upstream_resource();
  }

 protected:
  ~pool_verbs() override = default;

  Options options_;
  bool upstream_ignores_;  // deallocation
  mutable Pools pools_;    // counting collects remote frees

 private:
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

// Bursts: many blocks, linked in a chain, all or none. Each may be freed on its own by `deallocate`
// with its size.
template <class Derived>
class burst_verbs {
 public:
  // Errors: as `allocate`; `std::bad_array_new_length`, before it takes any block, if no machine
  // has so many bytes. `bytes` has room for a pointer.
  block_chain allocate_many(std::size_t count, std::size_t bytes,
                            std::size_t alignment = alignof(std::max_align_t)) {
    return block_chain::of(derived().allocate_linked(count, bytes, alignment), count);
  }
  // One block of each size, in this order. `sizes` is a contiguous range of `std::size_t`.
  template <class Sizes>
    requires requires(const Sizes& sizes) {
      { sizes.data() } -> std::convertible_to<const std::size_t*>;
      sizes.size();
    }
  block_chain allocate_many(const Sizes& sizes, std::size_t alignment = alignof(std::max_align_t)) {
    return derived().allocate_sizes(sizes.data(), sizes.size(), alignment);
  }
  // Effects: frees a chain, maybe an empty one, of blocks of this size and alignment.
  void deallocate_many(block_chain chain, std::size_t bytes,
                       std::size_t alignment = alignof(std::max_align_t)) noexcept {
    derived().deallocate_linked(chain.front(), chain.size(), bytes, alignment);
  }

 private:
  Derived& derived() noexcept { return static_cast<Derived&>(*this); }
};

}  // namespace mallard::inline v1
