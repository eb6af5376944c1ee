#include "mallard/multipool.hpp"

#include <bit>

namespace mallard::inline v1 {

using detail::class_layouts;

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

void* multipool_resource::refill_and_take(unsigned size_class, std::size_t bytes) {
  detail::slab_pool& pool = pools_.by_class[size_class];
  slabs_.refill(pool, class_layouts[size_class]);
  void* const p = detail::take_slot(pool, class_layouts[size_class].block_bytes);
  detail::unpoison(p, bytes);
  return p;
}

void multipool_resource::settle(unsigned size_class, void* p) noexcept {
  slabs_.settle(pools_.by_class[size_class], class_layouts[size_class], p);
}

// Empty requests, larger classes, and what no class is for.
void* multipool_resource::allocate_beyond_table(std::size_t bytes, std::size_t alignment) {
  if (bytes == 0) return allocate(1, alignment);
  const std::size_t request = detail::class_request(bytes, alignment);
  if (!detail::is_pooled(request)) return oversize_.allocate(*upstream(), bytes, alignment);
  const unsigned size_class = detail::class_of(request);
  detail::slab_pool& pool = pools_.by_class[size_class];
  if (pool.free_slots == 0) return refill_and_take(size_class, bytes);
  void* const p = detail::take_slot(pool, class_layouts[size_class].block_bytes);
  detail::unpoison(p, bytes);
  return p;
}

void multipool_resource::deallocate_beyond_table(void* p, std::size_t bytes,
                                                 std::size_t alignment) noexcept {
  if (bytes == 0) return deallocate(p, 1, alignment);
  const std::size_t request = detail::class_request(bytes, alignment);
  if (!detail::is_pooled(request)) return oversize_.deallocate(*upstream(), p);
  const unsigned size_class = detail::class_of(request);
  detail::poison(p, class_layouts[size_class].block_bytes);
  if (detail::give_slot(p, class_layouts[size_class])) settle(size_class, p);
}

void multipool_resource::release() noexcept {
  give_back_all();
  detail::zero(&pools_, sizeof pools_);
}

// Puts the hot block of the class back into its slab.
void multipool_resource::cool(unsigned size_class) noexcept {
  void* const p = pools_.hot[size_class];
  if (p == nullptr) return;
  pools_.hot[size_class] = nullptr;
  if (detail::give_slot(p, class_layouts[size_class])) settle(size_class, p);
}

void multipool_resource::give_back_all() noexcept {
  slabs_.release(upstream_ignores_);
  if (upstream_ignores_) {
    oversize_.forget();
  } else {
    oversize_.release(*upstream());
  }
}

std::size_t multipool_resource::trim() noexcept {
  const std::size_t before = slabs_.usage().reserved_bytes;
  for (unsigned c = 0; c < detail::table_class_count; ++c) cool(c);
  for (unsigned c = 0; c < detail::class_count; ++c)
    slabs_.trim_pool(pools_.by_class[c], class_layouts[c]);
  slabs_.trim_reserve();
  return before - slabs_.usage().reserved_bytes;
}

multipool_stats multipool_resource::stats() const noexcept {
  const detail::slab_usage usage = slabs_.usage();
  std::size_t at_hand = 0;
  for (unsigned c = 0; c < detail::class_count; ++c) {
    at_hand += static_cast<std::size_t>(std::popcount(pools_.by_class[c].free_slots)) *
               class_layouts[c].block_bytes;
    if (c < detail::table_class_count && pools_.hot[c] != nullptr)
      at_hand += class_layouts[c].block_bytes;
  }
  return {.in_use_bytes = usage.taken_bytes - at_hand + oversize_.payload_bytes(),
          .reserved_bytes = usage.reserved_bytes + oversize_.reserved_bytes(),
          .slabs = usage.slabs,
          .empty_slabs = usage.empty_slabs,
          .oversize_blocks = oversize_.blocks()};
}

}  // namespace mallard::inline v1
