#include "mallard/multipool.hpp"

#include "mallard/detail/core/or_with_room.hpp"
#include "mallard/detail/resources/pools_and_lones.hpp"

namespace mallard::inline v1 {

void* multipool_resource::do_allocate(std::size_t bytes, std::size_t alignment) {
  return allocate(bytes, alignment);
}

void multipool_resource::do_deallocate(void* p, std::size_t bytes, std::size_t alignment) {
  deallocate(p, bytes, alignment);
}

void* multipool_resource::allocate_beyond_table(std::size_t bytes, std::size_t alignment) {
  const detail::pools_and_lones all{pools_, lones_, alignment, options_.empty_slabs_kept};
  return detail::allocate_beyond_table(all, bytes, alignment, [&](std::size_t large) {
    return detail::or_with_room(
        [&] { return !pools_.keeps_every_slab() && trim() != 0; },
        [&] { return oversize_.allocate(*upstream_resource(), large, alignment); });
  });
}

void multipool_resource::deallocate_beyond_table(void* p, std::size_t bytes,
                                                 std::size_t alignment) noexcept {
  const detail::pools_and_lones all{pools_, lones_, alignment, options_.empty_slabs_kept};
  detail::deallocate_beyond_table(all, p, bytes, alignment, [&](void* large) {
    oversize_.deallocate(*upstream_resource(), large);
  });
}

void multipool_resource::release() noexcept {
  pools_.release_all(upstream_ignores_);
  give_back_large();
}

void multipool_resource::give_back_large() noexcept {
  lones_.release(*upstream_resource(), upstream_ignores_);
  if (upstream_ignores_) {
    oversize_.forget();
  } else {
    oversize_.release(*upstream_resource());
  }
}

multipool_stats multipool_resource::stats() const noexcept {
  const detail::slab_usage usage = pools_.usage();
  return {
      .in_use_bytes = usage.taken_bytes - pools_.at_hand_bytes() + lones_.in_use_bytes() +
                      oversize_.payload_bytes(),
      .reserved_bytes = usage.reserved_bytes + lones_.reserved_bytes() + oversize_.reserved_bytes(),
      .slabs = usage.slabs,
      .empty_slabs = usage.empty_slabs,
      .oversize_blocks = oversize_.blocks()};
}

}  // namespace mallard::inline v1
