// Purpose: a heap of your own: blocks of any size, arrays that grow in place, many blocks at once.
// Make as many heaps as you like; each can be dropped at once.
//
//   mallard::heap_resource heap;
//   auto [p, bytes] = heap.allocate_at_least(1000, 16);      // bytes may be more
//   std::size_t now = heap.try_expand(p, bytes, 2000, 4000);  // 0: there is no room behind it
//   heap.deallocate_expandable(p);
//   std::pmr::vector<int> v(&heap);                           // and it is a memory_resource
//
// `sized_block` and `block_chain` are in mallard/blocks.hpp.
//
// Complexity: O(1), plus what upstream and the system take. Thread-safety: none; one thread at a
// time per heap (see synchronized_heap_resource).
//
// Source of the idea: in-place expansion and burst allocation of Gaztañaga's extended allocators
// (N2045, Boost.Container).
#pragma once

#include <concepts>
#include <cstddef>
#include <memory_resource>

#include "mallard/blocks.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/resources/heap_pools.hpp"
#include "mallard/page_source.hpp"
#include "mallard/pools.hpp"
#include "mallard/resource_ref.hpp"

namespace mallard::inline v1 {

struct heap_options {
  std::size_t empty_slabs_kept = 3;  // of small blocks; as in multipool_options
};

struct heap_stats {
  std::size_t in_use_bytes = 0;    // of blocks in use, with rounding and headers
  std::size_t reserved_bytes = 0;  // held from upstream; for address ranges, their addresses
  std::size_t slabs = 0;
  std::size_t empty_slabs = 0;
  std::size_t array_blocks = 0;  // expandable ones and those too large for a slab
  std::size_t lone_blocks = 0;   // of these, with an address range of their own
  std::size_t expansions_tried = 0;
  std::size_t expansions_done = 0;
  std::size_t backward_tried = 0;
  std::size_t backward_done = 0;
};

namespace detail {

// `at_hand_bytes` of the slabs' bytes are free.
MALLARD_API heap_stats stats_of(const growing_blocks& arrays, const slab_usage& slabs,
                                std::size_t at_hand_bytes) noexcept;

}  // namespace detail

// Small blocks come from slabs, as in a multipool. Expandable blocks, and those above
// `largest_pooled_bytes`, lie in segments that are split and coalesced. Over the page source,
// segments are address ranges that get memory as it is touched, and an expandable block of 64 KiB
// or more gets a range of its own. Where the system gives huge pages, a touch gets 2 MiB: so large
// blocks that are hardly used take memory, too.
class MALLARD_API heap_resource final
    : public pool_verbs<heap_resource, detail::heap_pools, heap_options>,
      public burst_verbs<heap_resource> {
  friend pool_verbs;
  friend burst_verbs;

 public:
  using pool_verbs::pool_verbs;

  ~heap_resource() override {
    pools_.release(upstream_ignores_);
    pools_.lones.release(*upstream_resource(), upstream_ignores_);
    pools_.arrays.release(upstream_ignores_);
  }

  // Expandable blocks: `allocate_at_least` and `allocate_expandable` make them, and only
  // `deallocate_expandable` frees them. All sizes are in bytes. A `noexcept` function that fails
  // changes nothing.

  // Returns: a block of at least `bytes` bytes, and its real size.
  // Errors: as `allocate`.
  sized_block allocate_at_least(std::size_t bytes,
                                std::size_t alignment = alignof(std::max_align_t)) {
    return pools_.allocate_expandable(bytes, bytes, alignment);
  }
  // Effects: as above, of `preferred` bytes, or of `minimum` if there is no memory for that.
  // Errors: as `allocate`; null and 0 instead with `try_`.
  sized_block allocate_expandable(std::size_t minimum, std::size_t preferred,
                                  std::size_t alignment = alignof(std::max_align_t)) {
    return pools_.allocate_expandable(minimum, preferred, alignment);
  }
  sized_block try_allocate_expandable(std::size_t minimum, std::size_t preferred,
                                      std::size_t alignment = alignof(std::max_align_t)) noexcept;
  void deallocate_expandable(void* p) noexcept { pools_.arrays.deallocate(p); }

  // Effects: grows the block of `old` bytes (0: the caller does not know) in place to at least
  // `minimum` bytes, to about `preferred` if there is room. Returns its size now; 0 if there is no
  // room for `minimum`.
  std::size_t try_expand(void* p, std::size_t old, std::size_t minimum,
                         std::size_t preferred = 0) noexcept {
    return pools_.arrays.try_expand(p, old, minimum, preferred);
  }

  // Effects: grows the block to the front, and to the back if that is not enough. The block
  // returned begins a multiple of `element` and of 16 before `p`; the caller moves the bytes there.
  // Null and 0 if there is no room for `minimum` bytes.
  sized_block try_expand_backward(void* p, std::size_t old, std::size_t minimum,
                                  std::size_t preferred, std::size_t element) noexcept {
    return pools_.arrays.try_expand_backward(p, old, minimum, preferred, element);
  }

  // Effects: frees what is beyond `preferred` bytes, or tries to. Returns the size now, at most
  // `maximum`; 0 if that is not possible: then nothing has changed.
  std::size_t shrink(void* p, std::size_t old, std::size_t maximum,
                     std::size_t preferred = ~std::size_t{0}) noexcept {
    return pools_.arrays.shrink(p, old, maximum, preferred);
  }
  // Returns: what `shrink` would return, changing nothing.
  std::size_t shrinkable_to(void* p, std::size_t old, std::size_t maximum,
                            std::size_t preferred = ~std::size_t{0}) const noexcept {
    return pools_.arrays.shrinkable_to(p, old, maximum, preferred);
  }

  // Effects: makes the block `bytes` large, in place or elsewhere, aligned as before. Copies the
  // first `old` bytes; over the page source, it moves the pages of a megabyte or more. Returns null
  // if there is no memory: then nothing has changed.
  sized_block remap(void* p, std::size_t old, std::size_t bytes) noexcept;

  // Bursts: many blocks, linked in a chain, all or none. Each may be freed on its own by
  // `deallocate` with its size.

  // Errors: as `allocate`; `std::bad_array_new_length`, before it takes any block, if no machine
  // has so many bytes.
  block_chain allocate_many(std::size_t count, std::size_t bytes,
                            std::size_t alignment = alignof(std::max_align_t)) {
    return block_chain::of(allocate_linked(count, bytes, alignment), count);
  }
  // One block of each size, in this order. `sizes` is a contiguous range of `std::size_t`.
  template <class Sizes>
    requires requires(const Sizes& sizes) {
      { sizes.data() } -> std::convertible_to<const std::size_t*>;
      sizes.size();
    }
  block_chain allocate_many(const Sizes& sizes, std::size_t alignment = alignof(std::max_align_t)) {
    return allocate_sizes(sizes.data(), sizes.size(), alignment);
  }
  // Effects: frees a chain, maybe an empty one, of blocks of this size and alignment.
  void deallocate_many(block_chain chain, std::size_t bytes,
                       std::size_t alignment = alignof(std::max_align_t)) noexcept {
    deallocate_linked(chain.front(), chain.size(), bytes, alignment);
  }

  // Effects: returns all memory to upstream, including blocks in use; the heap is as new. O(slabs +
  // segments).
  void release() noexcept;

  // Effects: returns empty slabs and segments to upstream, and free pages within segments to the
  // system. Returns the bytes of those slabs and segments.
  std::size_t trim() noexcept { return pools_.trim(); }

  // O(slabs).
  heap_stats stats() const noexcept;

 private:
  block_chain allocate_sizes(const std::size_t* sizes, std::size_t count, std::size_t alignment);
  detail::chain_ends allocate_linked(std::size_t count, std::size_t bytes, std::size_t alignment);
  void deallocate_linked(void* first, std::size_t count, std::size_t bytes,
                         std::size_t alignment) noexcept;

  bool is_in_slabs(std::size_t request) const noexcept;
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override;
  void* allocate_beyond_table(std::size_t bytes, std::size_t alignment);
  void deallocate_beyond_table(void* p, std::size_t bytes, std::size_t alignment) noexcept;
};

}  // namespace mallard::inline v1
