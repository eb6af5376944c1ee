// Requests of up to 1 KiB come from the pool of their class, inlined. Up to 32 KiB they come from a
// pool too, or, over an upstream whose memory costs before it is touched, as lone blocks
// (lone_blocks.hpp). Larger blocks, and all that may grow, are in the array space
// (array_space.cpp). Not thread-safe: synchronized_heap.cpp has pools for each thread, and an array
// space under a lock.
#include "mallard/heap.hpp"

#include <algorithm>
#include <utility>

#include "mallard/detail/core/or_null.hpp"
#include "mallard/detail/core/or_with_room.hpp"
#include "mallard/detail/resources/chains.hpp"
#include "mallard/detail/resources/pools_and_lones.hpp"

namespace mallard::inline v1 {

void* heap_resource::do_allocate(std::size_t bytes, std::size_t alignment) {
  return allocate(bytes, alignment);
}

void heap_resource::do_deallocate(void* p, std::size_t bytes, std::size_t alignment) {
  deallocate(p, bytes, alignment);
}

void* heap_resource::allocate_beyond_table(std::size_t bytes, std::size_t alignment) {
  const detail::pools_and_lones all{pools_, pools_.lones, alignment, options_.empty_slabs_kept};
  return detail::allocate_beyond_table(all, bytes, alignment, [&](std::size_t large) {
    void* p = pools_.arrays.try_allocate(large, alignment, false);
    if (p == nullptr) p = pools_.allocate_large(large, alignment);
    detail::poison_beyond({p, detail::growing_blocks::payload_bytes(p)}, large);
    return p;
  });
}

void heap_resource::deallocate_beyond_table(void* p, std::size_t bytes,
                                            std::size_t alignment) noexcept {
  const detail::pools_and_lones all{pools_, pools_.lones, alignment, options_.empty_slabs_kept};
  detail::deallocate_beyond_table(all, p, bytes, alignment,
                                  [&](void* large) { pools_.arrays.deallocate(large); });
}

sized_block heap_resource::try_allocate_expandable(std::size_t minimum, std::size_t preferred,
                                                   std::size_t alignment) noexcept {
  return detail::or_null([&] { return allocate_expandable(minimum, preferred, alignment); });
}

sized_block heap_resource::remap(void* p, std::size_t old, std::size_t bytes) noexcept {
  const sized_block here = pools_.arrays.remap_without_copy(p, old, bytes);
  if (here.p != nullptr) return here;
  return detail::remap_by_copy(*this, p, old, bytes, detail::growing_blocks::alignment_of(p));
}

// Excludes sizes so large that each block may be a lone one.
bool heap_resource::is_in_slabs(std::size_t request) const noexcept {
  if (detail::is_looked_up(request)) return true;
  return detail::is_pooled(request) && !detail::pays_for_memory(*upstream_resource());
}

detail::chain_ends heap_resource::allocate_linked(std::size_t count, std::size_t bytes,
                                                  std::size_t alignment) {
  detail::check_burst(count, bytes, alignment);
  const std::size_t request = detail::block_request(std::max<std::size_t>(bytes, 1), alignment);
  if (is_in_slabs(request)) {
    return detail::or_with_room(
        [&] { return pools_.make_room(); },
        [&] { return pools_.take_many(detail::class_of(request), count, bytes); });
  }
  return detail::allocate_equal(*this, count, bytes, alignment);
}

block_chain heap_resource::allocate_sizes(const std::size_t* sizes, std::size_t count,
                                          std::size_t alignment) {
  return detail::allocate_each(*this, sizes, count, alignment);
}

void heap_resource::deallocate_linked(void* first, std::size_t count, std::size_t bytes,
                                      std::size_t alignment) noexcept {
  const std::size_t request = detail::block_request(std::max<std::size_t>(bytes, 1), alignment);
  if (is_in_slabs(request)) return pools_.give_many(detail::class_of(request), first, count);
  for (; count != 0; --count) {
    deallocate(std::exchange(first, block_chain::next(first)), bytes, alignment);
  }
}

void heap_resource::release() noexcept {
  pools_.release_all(upstream_ignores_);
  pools_.lones.release(*upstream_resource(), upstream_ignores_);
  pools_.arrays.release(upstream_ignores_);
}

heap_stats heap_resource::stats() const noexcept {
  heap_stats out = detail::stats_of(pools_.arrays, pools_.usage(), pools_.at_hand_bytes());
  out.in_use_bytes += pools_.lones.in_use_bytes();
  out.reserved_bytes += pools_.lones.reserved_bytes();
  return out;
}

heap_stats detail::stats_of(const growing_blocks& arrays, const slab_usage& slabs,
                            std::size_t at_hand_bytes) noexcept {
  const growth_counts growth = arrays.counts();
  return {.in_use_bytes = slabs.taken_bytes - at_hand_bytes + arrays.in_use_bytes(),
          .reserved_bytes = slabs.reserved_bytes + arrays.reserved_bytes(),
          .slabs = slabs.slabs,
          .empty_slabs = slabs.empty_slabs,
          .array_blocks = arrays.blocks(),
          .lone_blocks = arrays.lone_blocks(),
          .expansions_tried = growth.expansions_tried,
          .expansions_done = growth.expansions_done,
          .backward_tried = growth.backward_tried,
          .backward_done = growth.backward_done};
}

}  // namespace mallard::inline v1
