#include "mallard/detail/core/class_pools.hpp"

#include <bit>
#include <utility>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/core/or_with_room.hpp"

namespace mallard::inline v1::detail {

template <class Pool>
void* basic_class_pools<Pool>::refill_and_take(unsigned size_class) {
  slab_pool& pool = pool_of(size_class);
  or_with_room([&] { return make_room(); },
               [&] {
                 if (pool.base == nullptr) {
                   grow(pool, size_class);
                 } else {
                   refill(pool, size_class);
                 }
               });
  return take_slot(pool, class_layouts[size_class].block_bytes);
}

template <class Pool>
void basic_class_pools<Pool>::give_among_smalls(slab_pool& pool, void* p,
                                                unsigned size_class) noexcept {
  give_back(pool, layout_at(pool, layouts[size_class], p), p);
}

template <class Pool>
bool basic_class_pools<Pool>::cool() noexcept {
  const std::size_t request = std::exchange(large_hot_request_, 0);
  bool had_one = request != 0;
  if (had_one) give(large_hot_, computed_class(request));
  for (unsigned c = 0; c < table_class_count; ++c) {
    void* const p = std::exchange(pools_.small[c].hot, nullptr);
    if (p == nullptr) continue;
    give(p, c);
    had_one = true;
  }
  return had_one;
}

template <class Pool>
void basic_class_pools<Pool>::rest() noexcept {
  cool();
  for (unsigned c = 0; c < class_count; ++c) rest_pool(pool_of(c), c);
}

template <class Pool>
void basic_class_pools<Pool>::absorb_all(basic_class_pools& from) noexcept
  requires(!grows)
{
  from.rest();
  rest();
  absorb(pools(), from);
  from.reset();
}

template <class Pool>
std::size_t basic_class_pools<Pool>::trim() noexcept {
  const std::size_t before = usage().reserved_bytes;
  cool();
  for (unsigned c = 0; c < class_count; ++c) trim_pool(pool_of(c), c);
  trim_reserve();
  return before - smaller(before, usage().reserved_bytes);
}

template <class Pool>
bool basic_class_pools<Pool>::make_room() noexcept {
  const bool had_hot = cool();
  return (!keeps_every_slab() && trim() != 0) || had_hot;
}

template <class Pool>
slab* basic_class_pools<Pool>::detach_empty() noexcept {
  cool();
  for (unsigned c = 0; c < class_count; ++c) retire_current(pool_of(c), c);
  return detach_reserve(0);
}

template <class Pool>
std::size_t basic_class_pools<Pool>::at_hand_bytes() const noexcept {
  std::size_t bytes = 0;
  for (unsigned c = 0; c < class_count; ++c) {
    auto blocks = static_cast<std::size_t>(std::popcount(pool_of(c).free_slots));
    if (c < table_class_count && pools_.small[c].hot != nullptr) ++blocks;
    if (large_hot_request_ != 0 && c == computed_class(large_hot_request_)) ++blocks;
    bytes += blocks * class_layouts[c].block_bytes;
  }
  return bytes;
}

template <class Pool>
bool basic_class_pools<Pool>::owns(const void* p, unsigned size_class) const noexcept {
  const slab_layout& layout = layouts[size_class];
  const slab_layout& actual = layout_at(pool_of(size_class), layout, p);
  if (&actual == &layout) return slab_set::owns(p, size_class);
  return owner_of_block(p, actual, size_class) == this;
}

template class basic_class_pools<slab_pool>;
template class basic_class_pools<growing_pool>;

}  // namespace mallard::inline v1::detail
