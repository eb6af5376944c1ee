// Purpose: a heap for many threads: small blocks without a lock, as in the synchronized multipool;
// growing and large blocks under one lock.
//
//   mallard::synchronized_heap_resource heap;
//   std::jthread other([&] { std::pmr::vector<int> v(1000, &heap); });
//   auto [p, bytes] = heap.allocate_at_least(1000, 16);
//   bytes = heap.try_expand(p, bytes, 2000, 4000);  // 0: there is no room behind it
//   heap.deallocate_expandable(p);
//
// `sized_block` and `block_chain` are in mallard/blocks.hpp.
//
// Complexity: as heap_resource; small blocks as synchronized_multipool_resource.
// Thread-safety: as synchronized_multipool_resource. Any thread may grow, shrink or free a block,
// one at a time.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory_resource>

#include "mallard/blocks.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/resources/locked_blocks.hpp"
#include "mallard/detail/resources/thread_heaps.hpp"
#include "mallard/heap.hpp"
#include "mallard/page_source.hpp"
#include "mallard/pools.hpp"
#include "mallard/resource_ref.hpp"

namespace mallard::inline v1 {

struct synchronized_heap_stats : heap_stats {
  std::size_t orphan_slabs = 0;  // as in synchronized_multipool_stats
  std::size_t threads = 0;
};

// The verbs mean what they mean in heap_resource. `empty_slabs_kept` is for each thread. It
// survives a fork as a synchronized multipool does.
class MALLARD_API synchronized_heap_resource final
    : public pool_verbs<synchronized_heap_resource, detail::thread_heaps, heap_options>,
      public burst_verbs<synchronized_heap_resource> {
  friend pool_verbs;
  friend burst_verbs;

 public:
  using pool_verbs::pool_verbs;

  ~synchronized_heap_resource() override { release_arrays(); }

  // Expandable blocks, as in heap_resource.
  sized_block allocate_at_least(std::size_t bytes,
                                std::size_t alignment = alignof(std::max_align_t)) {
    return allocate_expandable(bytes, bytes, alignment);
  }
  sized_block allocate_expandable(std::size_t minimum, std::size_t preferred,
                                  std::size_t alignment = alignof(std::max_align_t));
  sized_block try_allocate_expandable(std::size_t minimum, std::size_t preferred,
                                      std::size_t alignment = alignof(std::max_align_t)) noexcept;
  void deallocate_expandable(void* p) noexcept;
  std::size_t try_expand(void* p, std::size_t old, std::size_t minimum,
                         std::size_t preferred = 0) noexcept;
  sized_block try_expand_backward(void* p, std::size_t old, std::size_t minimum,
                                  std::size_t preferred, std::size_t element) noexcept;
  std::size_t shrink(void* p, std::size_t old, std::size_t maximum,
                     std::size_t preferred = ~std::size_t{0}) noexcept;
  std::size_t shrinkable_to(void* p, std::size_t old, std::size_t maximum,
                            std::size_t preferred = ~std::size_t{0}) noexcept;
  sized_block remap(void* p, std::size_t old, std::size_t bytes) noexcept;

  // Bursts, as in heap_resource.
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
  void deallocate_many(block_chain chain, std::size_t bytes,
                       std::size_t alignment = alignof(std::max_align_t)) noexcept {
    deallocate_linked(chain.front(), chain.size(), bytes, alignment);
  }

  // Effects: returns all memory to upstream, including blocks in use; the heap is as new. O(slabs +
  // segments + threads). Requires that no other call is in flight.
  void release() noexcept;

  // Effects: as heap_resource's `trim`, with the slabs of the calling thread and of ended threads.
  // Returns the bytes of the slabs and segments.
  std::size_t trim() noexcept;

  // O(slabs). Requires that no other call is in flight.
  synchronized_heap_stats stats() const noexcept;

 private:
  block_chain allocate_sizes(const std::size_t* sizes, std::size_t count, std::size_t alignment);
  detail::chain_ends allocate_linked(std::size_t count, std::size_t bytes, std::size_t alignment);
  void deallocate_linked(void* first, std::size_t count, std::size_t bytes,
                         std::size_t alignment) noexcept;

  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override;
  void* allocate_beyond_table(std::size_t bytes, std::size_t alignment);
  void deallocate_beyond_table(void* p, std::size_t bytes, std::size_t alignment) noexcept;
  void release_arrays() noexcept;

  mutable detail::locked_blocks arrays_{pools_};  // locked
};

}  // namespace mallard::inline v1
