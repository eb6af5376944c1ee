#include "mallard/synchronized_multipool.hpp"

namespace mallard::inline v1 {

void* synchronized_multipool_resource::do_allocate(std::size_t bytes, std::size_t alignment) {
  return allocate(bytes, alignment);
}

void synchronized_multipool_resource::do_deallocate(void* p, std::size_t bytes,
                                                    std::size_t alignment) {
  deallocate(p, bytes, alignment);
}

void* synchronized_multipool_resource::allocate_beyond_table(std::size_t bytes,
                                                             std::size_t alignment) {
  return detail::allocate_beyond_table(pools_, bytes, alignment, [&](std::size_t large) {
    return pools_.allocate_oversize(large, alignment);
  });
}

void synchronized_multipool_resource::deallocate_beyond_table(void* p, std::size_t bytes,
                                                              std::size_t alignment) noexcept {
  detail::deallocate_beyond_table(pools_, p, bytes, alignment,
                                  [&](void* large) { pools_.deallocate_oversize(large); });
}

synchronized_multipool_stats synchronized_multipool_resource::stats() const noexcept {
  const detail::heaps_usage usage = pools_.usage();
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
