#include "mallard/synchronized_heap.hpp"

#include <algorithm>
#include <utility>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/core/or_null.hpp"
#include "mallard/detail/core/or_with_room.hpp"
#include "mallard/detail/resources/chains.hpp"

namespace mallard::inline v1 {

using detail::growing_blocks;

void* synchronized_heap_resource::do_allocate(std::size_t bytes, std::size_t alignment) {
  return allocate(bytes, alignment);
}

void synchronized_heap_resource::do_deallocate(void* p, std::size_t bytes, std::size_t alignment) {
  deallocate(p, bytes, alignment);
}

void* synchronized_heap_resource::allocate_beyond_table(std::size_t bytes, std::size_t alignment) {
  return detail::allocate_beyond_table(pools_, bytes, alignment, [&](std::size_t large) {
    const sized_block block =
        detail::or_with_room([&] { return pools_.make_room(nullptr); },
                             [&] { return arrays_.allocate(large, alignment, false); });
    detail::poison_beyond(block, large);
    return block.p;
  });
}

void synchronized_heap_resource::deallocate_beyond_table(void* p, std::size_t bytes,
                                                         std::size_t alignment) noexcept {
  detail::deallocate_beyond_table(pools_, p, bytes, alignment,
                                  [&](void* large) { deallocate_expandable(large); });
}

sized_block synchronized_heap_resource::allocate_expandable(std::size_t minimum,
                                                            std::size_t preferred,
                                                            std::size_t alignment) {
  MALLARD_ASSERT(detail::is_power_of_two(alignment));
  return detail::or_with_room(
      [&] { return pools_.make_room(nullptr); },
      [&] { return arrays_.allocate_expandable(minimum, preferred, alignment); });
}

sized_block synchronized_heap_resource::try_allocate_expandable(std::size_t minimum,
                                                                std::size_t preferred,
                                                                std::size_t alignment) noexcept {
  return detail::or_null([&] { return allocate_expandable(minimum, preferred, alignment); });
}

void synchronized_heap_resource::deallocate_expandable(void* p) noexcept {
  arrays_.with([&](growing_blocks& a) { a.deallocate(p); });
}

std::size_t synchronized_heap_resource::try_expand(void* p, std::size_t old, std::size_t minimum,
                                                   std::size_t preferred) noexcept {
  return arrays_.with([&](growing_blocks& a) { return a.try_expand(p, old, minimum, preferred); });
}

sized_block synchronized_heap_resource::try_expand_backward(void* p, std::size_t old,
                                                            std::size_t minimum,
                                                            std::size_t preferred,
                                                            std::size_t element) noexcept {
  return arrays_.with([&](growing_blocks& a) {
    return a.try_expand_backward(p, old, minimum, preferred, element);
  });
}

std::size_t synchronized_heap_resource::shrink(void* p, std::size_t old, std::size_t maximum,
                                               std::size_t preferred) noexcept {
  return arrays_.with([&](growing_blocks& a) { return a.shrink(p, old, maximum, preferred); });
}

std::size_t synchronized_heap_resource::shrinkable_to(void* p, std::size_t old, std::size_t maximum,
                                                      std::size_t preferred) noexcept {
  return arrays_.with(
      [&](growing_blocks& a) { return a.shrinkable_to(p, old, maximum, preferred); });
}

// Copies bytes without the lock.
sized_block synchronized_heap_resource::remap(void* p, std::size_t old,
                                              std::size_t bytes) noexcept {
  std::size_t alignment = 0;
  const sized_block here = arrays_.with([&](growing_blocks& a) {
    alignment = growing_blocks::alignment_of(p);
    return a.remap_without_copy(p, old, bytes);
  });
  return here.p != nullptr ? here : detail::remap_by_copy(*this, p, old, bytes, alignment);
}

detail::chain_ends synchronized_heap_resource::allocate_linked(std::size_t count, std::size_t bytes,
                                                               std::size_t alignment) {
  detail::check_burst(count, bytes, alignment);
  const std::size_t request = detail::block_request(std::max<std::size_t>(bytes, 1), alignment);
  if (detail::is_pooled(request)) {
    return pools_.take_many(detail::class_of(request), count, bytes);
  }
  return detail::allocate_equal(*this, count, bytes, alignment);
}

block_chain synchronized_heap_resource::allocate_sizes(const std::size_t* sizes, std::size_t count,
                                                       std::size_t alignment) {
  return detail::allocate_each(*this, sizes, count, alignment);
}

void synchronized_heap_resource::deallocate_linked(void* first, std::size_t count,
                                                   std::size_t bytes,
                                                   std::size_t alignment) noexcept {
  const std::size_t request = detail::block_request(std::max<std::size_t>(bytes, 1), alignment);
  if (detail::is_pooled(request)) return pools_.give_many(detail::class_of(request), first, count);
  arrays_.with([&](growing_blocks& a) {
    for (; count != 0; --count) a.deallocate(std::exchange(first, block_chain::next(first)));
  });
}

void synchronized_heap_resource::release_arrays() noexcept {
  arrays_.release(upstream_ignores_);
}

void synchronized_heap_resource::release() noexcept {
  pools_.release();
  release_arrays();
}

std::size_t synchronized_heap_resource::trim() noexcept {
  return pools_.trim() + arrays_.trim();
}

synchronized_heap_stats synchronized_heap_resource::stats() const noexcept {
  const detail::heaps_usage usage = pools_.usage();
  synchronized_heap_stats out;
  static_cast<heap_stats&>(out) = arrays_.with(
      [&](growing_blocks& a) { return detail::stats_of(a, usage.slabs, usage.at_hand_bytes); });
  out.reserved_bytes += usage.heap_bytes;
  out.orphan_slabs = usage.orphan_slabs;
  out.threads = usage.heaps;
  return out;
}

}  // namespace mallard::inline v1
