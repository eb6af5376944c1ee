#include "mallard/detail/resources/chunk_parts.hpp"

#include <new>
#include <utility>

#include "mallard/detail/core/annotate.hpp"

namespace mallard::inline v1::detail {

void* chunk_parts::take_ready(void* context, std::size_t, const slab_rescue&) {
  return std::exchange(static_cast<chunk_parts*>(context)->ready_, nullptr);
}

void chunk_parts::put_aside(void* context, void* p, std::size_t) noexcept {
  auto& self = *static_cast<chunk_parts*>(context);
  self.aside_ = ::new (p) empty_slab{self.aside_};
}

void chunk_parts::give_to_supply(empty_slab* slabs) noexcept {
  while (slabs != nullptr) supply_.give(std::exchange(slabs, slabs->next), parts_bytes);
}

unsigned chunk_parts::take(unsigned part_class, void** out, unsigned count) noexcept {
  slab_pool& pool = pools_[part_class];
  std::unique_lock hold(lock_);
  if (pool.free_slots == 0 && !slabs_.advance(pool, part_class)) {
    hold.unlock();
    void* const more = supply_.take(parts_bytes);
    if (more != nullptr) unpoison(more, parts_bytes);
    hold.lock();
    ready_ = more;
    if (more != nullptr) {
      slabs_.grow(pool, part_class);
    } else if (pool.free_slots == 0) {
      slabs_.scrape(pool, part_class);
    }
  }
  unsigned taken = 0;
  while (taken < count && pool.free_slots != 0) {
    out[taken++] = take_slot(pool, part_bytes(part_class));
  }
  return taken;
}

void chunk_parts::give(unsigned part_class, void* const* parts, unsigned count) noexcept {
  std::unique_lock hold(lock_);
  for (unsigned i = 0; i < count; ++i) {
    slab_set::give(pools_[part_class], part_layouts[part_class], part_layouts[part_class].step(),
                   parts[i]);
  }
  empty_slab* const empty = std::exchange(aside_, nullptr);
  hold.unlock();
  give_to_supply(empty);
}

void chunk_parts::trim() noexcept {
  std::unique_lock hold(lock_);
  for (unsigned c = 0; c < part_class_count; ++c) slabs_.trim_pool(pools_[c], c);
  empty_slab* const empty = std::exchange(aside_, nullptr);
  hold.unlock();
  give_to_supply(empty);
}

}  // namespace mallard::inline v1::detail
