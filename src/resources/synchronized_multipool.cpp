#include "mallard/synchronized_multipool.hpp"

namespace mallard::inline v1 {

using detail::thread_heap;

void* synchronized_multipool_resource::do_allocate(std::size_t bytes, std::size_t alignment) {
  return allocate(bytes, alignment);
}

void synchronized_multipool_resource::do_deallocate(void* p, std::size_t bytes,
                                                    std::size_t alignment) {
  deallocate(p, bytes, alignment);
}

void* synchronized_multipool_resource::try_allocate(std::size_t bytes,
                                                    std::size_t alignment) noexcept {
  try {
    return allocate(bytes, alignment);
  } catch (...) {
    return nullptr;
  }
}

// Empty requests, larger classes, and what no class is for.
void* synchronized_multipool_resource::allocate_beyond_table(std::size_t bytes,
                                                             std::size_t alignment) {
  if (bytes == 0) return allocate(1, alignment);
  const std::size_t request = detail::class_request(bytes, alignment);
  if (!detail::is_pooled(request)) return heaps_.allocate_oversize(bytes, alignment);
  thread_heap* const mine = heaps_.known();
  const auto refill = [&](unsigned size_class) { return heaps_.allocate_slow(mine, size_class); };
  void* const p =
      mine == nullptr ? refill(detail::computed_class(request)) : mine->take_large(request, refill);
  detail::unpoison(p, bytes);
  return p;
}

void synchronized_multipool_resource::deallocate_beyond_table(void* p, std::size_t bytes,
                                                              std::size_t alignment) noexcept {
  if (bytes == 0) return deallocate(p, 1, alignment);
  const std::size_t request = detail::class_request(bytes, alignment);
  if (!detail::is_pooled(request)) return heaps_.deallocate_oversize(p);
  const unsigned size_class = detail::computed_class(request);
  detail::poison(p, request);
  thread_heap* const mine = heaps_.known();
  if (thread_heap::owner_of(p, size_class) != mine) {
    return heaps_.deallocate_slow(mine, p, size_class);
  }
  mine->give_large(p, request);
}

synchronized_multipool_stats synchronized_multipool_resource::stats() noexcept {
  const detail::heaps_usage usage = heaps_.usage();
  return {
      .in_use_bytes = usage.slabs.taken_bytes - usage.at_hand_bytes + usage.oversize_payload_bytes,
      .reserved_bytes =
          usage.slabs.reserved_bytes + usage.heap_bytes + usage.oversize_reserved_bytes,
      .slabs = usage.slabs.slabs,
      .empty_slabs = usage.slabs.empty_slabs,
      .orphan_slabs = usage.orphan_slabs,
      .oversize_blocks = usage.oversize_blocks,
      .threads = usage.heaps};
}

}  // namespace mallard::inline v1
