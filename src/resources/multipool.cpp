#include "mallard/multipool.hpp"

namespace mallard::inline v1 {

void* multipool_resource::do_allocate(std::size_t bytes, std::size_t alignment) {
  return allocate(bytes, alignment);
}

void multipool_resource::do_deallocate(void* p, std::size_t bytes, std::size_t alignment) {
  deallocate(p, bytes, alignment);
}

void* multipool_resource::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
  try {
    return allocate(bytes, alignment);
  } catch (...) {
    return nullptr;
  }
}

// Empty requests, larger classes, and what no class is for.
void* multipool_resource::allocate_beyond_table(std::size_t bytes, std::size_t alignment) {
  if (bytes == 0) return allocate(1, alignment);
  const std::size_t request = detail::class_request(bytes, alignment);
  if (!detail::is_pooled(request)) return oversize_.allocate(*upstream(), bytes, alignment);
  void* const p = pools_.take_large(request);
  detail::unpoison(p, bytes);
  return p;
}

void multipool_resource::deallocate_beyond_table(void* p, std::size_t bytes,
                                                 std::size_t alignment) noexcept {
  if (bytes == 0) return deallocate(p, 1, alignment);
  const std::size_t request = detail::class_request(bytes, alignment);
  if (!detail::is_pooled(request)) return oversize_.deallocate(*upstream(), p);
  detail::poison(p, request);
  pools_.give_large(p, request);
}

void multipool_resource::release() noexcept {
  pools_.release_all(upstream_ignores_);
  give_back_oversize();
}

void multipool_resource::give_back_oversize() noexcept {
  if (upstream_ignores_) {
    oversize_.forget();
  } else {
    oversize_.release(*upstream());
  }
}

multipool_stats multipool_resource::stats() const noexcept {
  const detail::slab_usage usage = pools_.usage();
  return {.in_use_bytes = usage.taken_bytes - pools_.at_hand_bytes() + oversize_.payload_bytes(),
          .reserved_bytes = usage.reserved_bytes + oversize_.reserved_bytes(),
          .slabs = usage.slabs,
          .empty_slabs = usage.empty_slabs,
          .oversize_blocks = oversize_.blocks()};
}

}  // namespace mallard::inline v1
