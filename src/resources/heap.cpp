#include "mallard/heap.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace mallard::inline v1 {

void* heap_resource::do_allocate(std::size_t bytes, std::size_t alignment) {
  return allocate(bytes, alignment);
}

void heap_resource::do_deallocate(void* p, std::size_t bytes, std::size_t alignment) {
  deallocate(p, bytes, alignment);
}

void* heap_resource::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
  try {
    return allocate(bytes, alignment);
  } catch (...) {
    return nullptr;
  }
}

void* heap_resource::allocate_beyond_table(std::size_t bytes, std::size_t alignment) {
  return detail::allocate_beyond_table(pools_, bytes, alignment, [&](std::size_t large) {
    return arrays_.allocate(large, alignment, false);
  });
}

void heap_resource::deallocate_beyond_table(void* p, std::size_t bytes,
                                            std::size_t alignment) noexcept {
  detail::deallocate_beyond_table(pools_, p, bytes, alignment,
                                  [&](void* large) { arrays_.deallocate(large); });
}

sized_block heap_resource::allocate_at_least(std::size_t bytes, std::size_t alignment) {
  return allocate_expandable(bytes, bytes, alignment);
}

sized_block heap_resource::allocate_expandable(std::size_t minimum, std::size_t preferred,
                                               std::size_t alignment) {
  MALLARD_ASSERT(std::has_single_bit(alignment));
  void* p = nullptr;
  try {
    p = arrays_.allocate(std::max(minimum, preferred), alignment, true);
  } catch (...) {
    if (preferred <= minimum) throw;
    p = arrays_.allocate(minimum, alignment, true);
  }
  return {p, detail::array_space::payload_bytes(p)};
}

sized_block heap_resource::try_allocate_expandable(std::size_t minimum, std::size_t preferred,
                                                   std::size_t alignment) noexcept {
  try {
    return allocate_expandable(minimum, preferred, alignment);
  } catch (...) {
    return {nullptr, 0};
  }
}

void heap_resource::deallocate_expandable(void* p) noexcept {
  arrays_.deallocate(p);
}

std::size_t heap_resource::try_expand(void* p, [[maybe_unused]] std::size_t old,
                                      std::size_t minimum, std::size_t preferred) noexcept {
  MALLARD_ASSERT(old <= detail::array_space::payload_bytes(p));
  ++expansions_tried_;
  const std::size_t now = arrays_.expand(p, minimum, std::max(minimum, preferred));
  if (now != 0) ++expansions_done_;
  return now;
}

sized_block heap_resource::try_expand_backward(void* p, [[maybe_unused]] std::size_t old,
                                               std::size_t minimum, std::size_t preferred,
                                               std::size_t element) noexcept {
  MALLARD_ASSERT(old <= detail::array_space::payload_bytes(p));
  ++backward_tried_;
  const std::size_t step = std::lcm(std::max<std::size_t>(element, 1), std::size_t{16});
  void* const front = arrays_.expand_backward(p, minimum, std::max(minimum, preferred), step);
  if (front == nullptr) return {nullptr, 0};
  ++backward_done_;
  return {front, detail::array_space::payload_bytes(front)};
}

std::size_t heap_resource::try_shrink(void* p, [[maybe_unused]] std::size_t old,
                                      std::size_t maximum, std::size_t preferred) const noexcept {
  const std::size_t can = detail::fit_heap::shrunk(p, std::min(preferred, maximum));
  return can <= maximum ? can : 0;
}

std::size_t heap_resource::shrink_in_place(void* p, std::size_t old, std::size_t maximum,
                                           std::size_t preferred) noexcept {
  if (try_shrink(p, old, maximum, preferred) == 0) return 0;
  return arrays_.shrink(p, std::min(preferred, maximum));
}

sized_block heap_resource::remap(void* p, std::size_t old, std::size_t bytes) noexcept {
  if (bytes <= old) {
    arrays_.shrink(p, bytes);
    return {p, detail::array_space::payload_bytes(p)};
  }
  if (const std::size_t now = try_expand(p, old, bytes, bytes)) return {p, now};
  const sized_block moved = try_allocate_expandable(bytes, bytes);
  if (moved.p == nullptr) return moved;
  std::memcpy(moved.p, p, old);
  arrays_.deallocate(p);
  return moved;
}

block_chain heap_resource::allocate_many(std::size_t count, std::size_t bytes,
                                         std::size_t alignment) {
  const std::size_t request = detail::class_request(std::max<std::size_t>(bytes, 1), alignment);
  if (detail::is_pooled(request)) {
    return pools_.take_many(detail::class_of(request), count, bytes);
  }
  block_chain chain;
  try {
    while (chain.size() < count) chain.push_back(arrays_.allocate(bytes, alignment, false));
  } catch (...) {
    deallocate_many(chain, bytes, alignment);
    throw;
  }
  return chain;
}

block_chain heap_resource::allocate_many(std::span<const std::size_t> sizes,
                                         std::size_t alignment) {
  block_chain chain;
  try {
    // A block has room for the link whatever its size; a sanitizer has to be told.
    for (const std::size_t bytes : sizes) {
      void* const p = allocate(bytes, alignment);
      detail::unpoison(p, sizeof(void*));
      chain.push_back(p);
    }
  } catch (...) {
    for (const std::size_t bytes : sizes.first(chain.size())) {
      deallocate(chain.pop_front(), bytes, alignment);
    }
    throw;
  }
  return chain;
}

void heap_resource::deallocate_many(block_chain chain, std::size_t bytes,
                                    std::size_t alignment) noexcept {
  const std::size_t request = detail::class_request(std::max<std::size_t>(bytes, 1), alignment);
  if (detail::is_pooled(request)) return pools_.give_many(detail::class_of(request), chain);
  while (!chain.empty()) arrays_.deallocate(chain.pop_front());
}

void heap_resource::release() noexcept {
  pools_.release_all(upstream_ignores_);
  arrays_.release(upstream_ignores_);
}

heap_stats heap_resource::stats() const noexcept {
  const detail::slab_usage usage = pools_.usage();
  return {.in_use_bytes = usage.taken_bytes - pools_.at_hand_bytes() + arrays_.in_use_bytes(),
          .reserved_bytes = usage.reserved_bytes + arrays_.reserved_bytes(),
          .slabs = usage.slabs,
          .empty_slabs = usage.empty_slabs,
          .array_blocks = arrays_.blocks(),
          .lone_blocks = arrays_.lone_blocks(),
          .expansions_tried = expansions_tried_,
          .expansions_done = expansions_done_,
          .backward_tried = backward_tried_,
          .backward_done = backward_done_};
}

}  // namespace mallard::inline v1
