// Purpose: a heap of its own: blocks of any size, arrays that grow where they are, many blocks at
// once; as many heaps as you like, each dropped at once.
//
//   mallard::heap_resource heap;
//   auto [p, bytes] = heap.allocate_at_least(1000, 16);      // bytes may be more
//   std::size_t now = heap.try_expand(p, bytes, 2000, 4000);  // 0: there is no room behind it
//   heap.deallocate_expandable(p);
//   std::pmr::vector<int> v(&heap);                           // and it is a memory_resource
//
// `sized_block` and `block_chain` are in mallard/blocks.hpp.
//
// Complexity: O(1) beside what upstream and the system do. Thread-safety: none; one thread at a
// time per heap (see synchronized_heap_resource).
//
// The published ideas: in-place expansion and burst allocation of Gaztañaga's extended allocators
// (N2045, Boost.Container).
#pragma once

#include <concepts>
#include <cstddef>
#include <memory_resource>

#include "mallard/blocks.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/class_pools.hpp"
#include "mallard/detail/core/class_requests.hpp"
#include "mallard/detail/core/size_classes.hpp"
#include "mallard/detail/resources/growing_blocks.hpp"
#include "mallard/detail/resources/lone_blocks.hpp"
#include "mallard/page_source.hpp"
#include "mallard/resource_ref.hpp"

namespace mallard::inline v1 {

struct heap_options {
  std::size_t empty_slabs_kept = 3;  // of small blocks; as in multipool_options
};

struct heap_stats {
  std::size_t in_use_bytes = 0;    // of the blocks handed out, with what rounding and headers take
  std::size_t reserved_bytes = 0;  // held from upstream; of address ranges, the addresses
  std::size_t slabs = 0;
  std::size_t empty_slabs = 0;
  std::size_t array_blocks = 0;  // expandable ones and those too large for a slab
  std::size_t lone_blocks = 0;   // of these, with a range of addresses of their own
  std::size_t expansions_tried = 0;
  std::size_t expansions_done = 0;
  std::size_t backward_tried = 0;
  std::size_t backward_done = 0;
};

namespace detail {

// `at_hand_bytes` of the slabs' are free.
MALLARD_API heap_stats stats_of(const growing_blocks& arrays, const slab_usage& slabs,
                                std::size_t at_hand_bytes) noexcept;

}  // namespace detail

// Small blocks come from slabs, as in a multipool. Expandable blocks, and those above
// `largest_pooled_bytes`, lie in segments that are split and coalesced; over the page source these
// are ranges of addresses which get memory as it is touched, and an expandable block of 64 KiB or
// more gets a range of its own.
class MALLARD_API heap_resource final : public std::pmr::memory_resource {
 public:
  static constexpr std::size_t largest_pooled_bytes = detail::largest_block_bytes;

  // Nothing is allocated before the first request. `upstream` must outlive the heap. Over an arena,
  // which takes nothing back, every empty slab is kept for reuse.
  heap_resource() noexcept : heap_resource(heap_options{}) {}
  explicit heap_resource(upstream_ref upstream) noexcept
      : heap_resource(heap_options{}, upstream) {}
  explicit heap_resource(heap_options options,
                         upstream_ref upstream = page_source::instance()) noexcept
      : options_(detail::options_over(options, upstream.takes_back())),
        upstream_ignores_(!upstream.takes_back()),
        pools_(upstream.get(), detail::reserve_of(options_.empty_slabs_kept)),
        arrays_(upstream.get()) {}

  heap_resource(const heap_resource&) = delete;
  heap_resource& operator=(const heap_resource&) = delete;
  ~heap_resource() override {
    pools_.release(upstream_ignores_);
    lones_.release(*upstream_resource(), upstream_ignores_);
    arrays_.release(upstream_ignores_);
  }

  // Effects: returns a block of at least `bytes` bytes aligned to `alignment` (a power of two);
  // never null, distinct for every live block, also for 0 bytes.
  // Errors: throws `std::bad_alloc` or what upstream throws, leaving the heap as it was.
  MALLARD_ALWAYS_INLINE void* allocate(std::size_t bytes,
                                       std::size_t alignment = alignof(std::max_align_t)) {
    const detail::size_granule granule = detail::granule_asked_for(bytes, alignment);
    if (!granule.is_looked_up()) [[unlikely]] {
      return allocate_beyond_table(bytes, alignment);
    }
    return detail::allocate_by_granule(pools_, granule, bytes);
  }

  // Effects: as `allocate`, but returns null where that throws.
  void* try_allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept;

  // Effects: takes back a block of `allocate`; `bytes` and `alignment` as it was allocated.
  MALLARD_ALWAYS_INLINE void deallocate(
      void* p, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
    const detail::size_granule granule = detail::granule_asked_for(bytes, alignment);
    if (!granule.is_looked_up()) [[unlikely]] {
      return deallocate_beyond_table(p, bytes, alignment);
    }
    detail::deallocate_by_granule(pools_, granule, p);
  }

  // Expandable blocks. Only those of `allocate_at_least` and `allocate_expandable`, and only
  // `deallocate_expandable` takes them back. In bytes throughout; none of the `noexcept` ones
  // changes anything when it fails.

  // Effects: a block of at least `bytes` bytes and its real size.
  // Errors: as `allocate`.
  sized_block allocate_at_least(std::size_t bytes,
                                std::size_t alignment = alignof(std::max_align_t)) {
    return arrays_.allocate_expandable(bytes, bytes, alignment);
  }
  // Effects: the same; of `preferred` bytes if that can be had without more memory from upstream
  // than `minimum` takes.
  // Errors: as `allocate`; null and 0 instead with `try_`.
  sized_block allocate_expandable(std::size_t minimum, std::size_t preferred,
                                  std::size_t alignment = alignof(std::max_align_t)) {
    return arrays_.allocate_expandable(minimum, preferred, alignment);
  }
  sized_block try_allocate_expandable(std::size_t minimum, std::size_t preferred,
                                      std::size_t alignment = alignof(std::max_align_t)) noexcept;
  void deallocate_expandable(void* p) noexcept { arrays_.deallocate(p); }

  // Effects: makes the block of `old` bytes larger where it is: at least `minimum` bytes, about
  // `preferred` if there is room. Returns its size now, 0 when there is no room for `minimum`.
  std::size_t try_expand(void* p, std::size_t old, std::size_t minimum,
                         std::size_t preferred = 0) noexcept {
    return arrays_.try_expand(p, old, minimum, preferred);
  }

  // Effects: makes the block larger to the front, and behind if that is not enough. The returned
  // block begins a multiple of `element` and of 16 before `p`; the bytes stay where they are, for
  // the caller to move. Null and 0 when there is no room for `minimum` bytes.
  sized_block try_expand_backward(void* p, std::size_t old, std::size_t minimum,
                                  std::size_t preferred, std::size_t element) noexcept {
    return arrays_.try_expand_backward(p, old, minimum, preferred, element);
  }

  // Effects: gives back what is beyond `preferred` bytes, or tries to; returns the size now, which
  // is at most `maximum`, or 0 when that cannot be had and nothing has changed.
  std::size_t shrink(void* p, std::size_t old, std::size_t maximum,
                     std::size_t preferred = ~std::size_t{0}) noexcept {
    return arrays_.shrink(p, old, maximum, preferred);
  }
  // Effects: what `shrink` would return, changing nothing.
  std::size_t shrinkable_to(void* p, std::size_t old, std::size_t maximum,
                            std::size_t preferred = ~std::size_t{0}) const noexcept {
    return arrays_.shrinkable_to(p, old, maximum, preferred);
  }

  // Effects: makes the block `bytes` large, where it is or elsewhere; the first `old` bytes go
  // along, as by memcpy; of a megabyte or more, by moving their pages. It stays aligned as it was
  // allocated. Null when there is no memory, and then nothing has changed.
  sized_block remap(void* p, std::size_t old, std::size_t bytes) noexcept;

  // Bursts: many blocks, linked in a chain; each may be given back alone, by `deallocate` with its
  // size. All or none.

  // Errors: as `allocate`; `std::bad_array_new_length` when no machine has so many bytes, before
  // any block is taken.
  block_chain allocate_many(std::size_t count, std::size_t bytes,
                            std::size_t alignment = alignof(std::max_align_t)) {
    return block_chain::of(allocate_linked(count, bytes, alignment), count);
  }
  // One of each size, in this order: `sizes` is a contiguous range of `std::size_t`.
  template <class Sizes>
    requires requires(const Sizes& sizes) {
      { sizes.data() } -> std::convertible_to<const std::size_t*>;
      sizes.size();
    }
  block_chain allocate_many(const Sizes& sizes, std::size_t alignment = alignof(std::max_align_t)) {
    return allocate_sizes(sizes.data(), sizes.size(), alignment);
  }
  // Effects: takes back a chain, maybe an empty one, of blocks of this size and alignment.
  void deallocate_many(block_chain chain, std::size_t bytes,
                       std::size_t alignment = alignof(std::max_align_t)) noexcept {
    deallocate_linked(chain.front(), chain.size(), bytes, alignment);
  }

  // Effects: gives everything back to upstream, also the blocks still in use; the heap is as new.
  // O(slabs + segments).
  void release() noexcept;

  // Effects: gives back to upstream what is free as a whole, and to the system the pages of what is
  // free in segments. Returns the bytes that upstream got.
  std::size_t trim() noexcept {
    return pools_.trim() + lones_.trim(*upstream_resource()) + arrays_.trim();
  }

  // O(slabs).
  heap_stats stats() const noexcept;
  heap_options options() const noexcept { return options_; }
  std::pmr::memory_resource* upstream_resource() const noexcept {
    return pools_.upstream_resource();
  }

 private:
  block_chain allocate_sizes(const std::size_t* sizes, std::size_t count, std::size_t alignment);
  detail::chain_ends allocate_linked(std::size_t count, std::size_t bytes, std::size_t alignment);
  void deallocate_linked(void* first, std::size_t count, std::size_t bytes,
                         std::size_t alignment) noexcept;

  bool is_in_slabs(std::size_t request) const noexcept;
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  void* allocate_beyond_table(std::size_t bytes, std::size_t alignment);
  void deallocate_beyond_table(void* p, std::size_t bytes, std::size_t alignment) noexcept;

  heap_options options_;
  bool upstream_ignores_ = false;
  detail::growing_class_pools pools_;
  detail::lone_blocks lones_;
  detail::growing_blocks arrays_;
};

}  // namespace mallard::inline v1
