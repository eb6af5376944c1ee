#include "mallard/detail/core/class_pools.hpp"

#include <bit>

namespace mallard::inline v1::detail {

void* class_pools::refill_and_take(unsigned size_class) {
  slab_pool& pool = pools_[size_class];
  refill(pool, size_class);
  return take_slot(pool, class_layouts[size_class].block_bytes);
}

// Puts the hot blocks to the others at hand.
void class_pools::cool() noexcept {
  for (unsigned c = 0; c < table_class_count; ++c) {
    void* const p = hot_[c];
    hot_[c] = nullptr;
    if (p != nullptr) give(p, c);
  }
  if (large_hot_request_ != 0) give(large_hot_, computed_class(large_hot_request_));
  large_hot_request_ = 0;
}

void class_pools::rest() noexcept {
  cool();
  for (unsigned c = 0; c < class_count; ++c) rest_pool(pools_[c], c);
}

void class_pools::absorb_all(class_pools& from) noexcept {
  from.rest();
  rest();
  absorb(pools_.data(), from);
  from.reset();
}

std::size_t class_pools::trim() noexcept {
  const std::size_t before = usage().reserved_bytes;
  cool();
  for (unsigned c = 0; c < class_count; ++c) trim_pool(pools_[c], c);
  trim_reserve();
  return before - usage().reserved_bytes;
}

slab* class_pools::detach_empty() noexcept {
  cool();
  for (unsigned c = 0; c < class_count; ++c) retire_current(pools_[c], c);
  return detach_reserve(0);
}

std::size_t class_pools::at_hand_bytes() const noexcept {
  std::size_t bytes = 0;
  for (unsigned c = 0; c < class_count; ++c) {
    auto blocks = static_cast<std::size_t>(std::popcount(pools_[c].free_slots));
    if (c < table_class_count && hot_[c] != nullptr) ++blocks;
    if (large_hot_request_ != 0 && c == computed_class(large_hot_request_)) ++blocks;
    bytes += blocks * class_layouts[c].block_bytes;
  }
  return bytes;
}

}  // namespace mallard::inline v1::detail
