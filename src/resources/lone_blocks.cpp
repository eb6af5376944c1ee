#include "mallard/detail/resources/lone_blocks.hpp"

#include <utility>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/core/or_null.hpp"
#include "mallard/detail/resources/pools_and_lones.hpp"

namespace mallard::inline v1::detail {

void* lone_blocks::pop_idle(unsigned size_class) noexcept {
  void*& idle = idle_of(size_class);
  void* const p = idle;
  unpoison(p, sizeof(void*));
  idle = *static_cast<void**>(p);
  poison(p, sizeof(void*));
  --idle_blocks_;
  idle_bytes_ -= list_.bytes_of(p);
  return p;
}

void* lone_blocks::take(std::pmr::memory_resource& upstream, unsigned size_class, std::size_t bytes,
                        std::size_t alignment, bool whole_class) {
  const slab_layout& layout = class_layouts[size_class];
  if (list_.blocks() == 0) {
    in_use_.fill(0);
    idle_.fill(nullptr);
  }
  void* p = idle_of(size_class);
  if (p != nullptr && list_.bytes_of(p) >= bytes && address_of(p) % alignment == 0) {
    pop_idle(size_class);
  } else {
    p = oversize_list::make_apart(upstream, whole_class ? layout.block_bytes : bytes, alignment,
                                  layout);
    list_.insert(p);
    poison(p, bytes);
  }
  ++in_use_[size_class - table_class_count];
  return p;
}

void lone_blocks::give(std::pmr::memory_resource& upstream, void* p, unsigned size_class,
                       std::size_t idle_limit) noexcept {
  --in_use_[size_class - table_class_count];
  if (in_use_bytes() == list_.bytes_of(p)) stays_alone_ = false;
  if (idle_blocks_ >= idle_limit) {
    if (idle_limit == 0) return list_.deallocate(upstream, p);
    trim(upstream);
  }
  idle_bytes_ += list_.bytes_of(p);
  ++idle_blocks_;
  unpoison(p, sizeof(void*));
  *static_cast<void**>(p) = std::exchange(idle_of(size_class), p);
  poison(p, sizeof(void*));
}

std::size_t lone_blocks::trim(std::pmr::memory_resource& upstream) noexcept {
  const std::size_t before = list_.reserved_bytes();
  // Upstream may call back, and leave a block in a class that was emptied before.
  for (unsigned c = table_class_count; c != table_class_count + classes && idle_blocks_ != 0; ++c) {
    while (idle_of(c) != nullptr) list_.deallocate(upstream, pop_idle(c));
  }
  return before - smaller(before, list_.reserved_bytes());
}

void lone_blocks::release(std::pmr::memory_resource& upstream, bool forget) noexcept {
  if (list_.blocks() == 0) return;
  if (forget) {
    list_.forget();
  } else {
    list_.release(upstream);
  }
  idle_bytes_ = idle_blocks_ = 0;
  stays_alone_ = false;
}

void* pools_and_lones::take_large(std::size_t request) const {
  if (!pays_for_memory(*pools.upstream_resource())) return pools.take_large(request);
  return pools.take_large(request, [&](unsigned c) { return refill_and_take(c, request); });
}

// Null when upstream has not even that much.
void* pools_and_lones::try_lone(unsigned size_class, std::size_t request) const noexcept {
  std::pmr::memory_resource& upstream = *pools.upstream_resource();
  const bool whole_class = empty_slabs_kept == keep_every_slab;
  if (alignment > lone_blocks::largest_alignment) return nullptr;
  try {
    return lones.take(upstream, size_class, request, alignment, whole_class);
  } catch (...) {
    if (whole_class || lones.trim(upstream) == 0) return nullptr;  // or they would be lost
  }
  return or_null([&] { return lones.take(upstream, size_class, request, alignment, whole_class); });
}

// Takes a free slot; else a lone block or a slab, whichever fits what the class has in use, and the
// other one if upstream has not got the first.
void* pools_and_lones::refill_and_take(unsigned size_class, std::size_t request) const {
  slab_pool& pool = pools.pools()[size_class];
  if (!pools.advance(pool, size_class)) {
    if (lones.is_little(size_class) && !pools.has_reserve(class_layouts[size_class])) {
      if (void* const p = try_lone(size_class, request)) return p;
    }
    try {
      pools.grow(pool, size_class);
    } catch (...) {
      const bool has_more = pools.make_room();
      if (void* const p = try_lone(size_class, request)) {
        lones.stay_alone();
        return p;
      }
      if (!has_more) throw;
      pools.grow(pool, size_class);
    }
  }
  return take_slot(pool, class_layouts[size_class].block_bytes);
}

void pools_and_lones::give_large(void* p, std::size_t request) const noexcept {
  const unsigned size_class = computed_class(request);
  if (!lones.is_lone(p, size_class)) return pools.give_large(p, request);
  const std::size_t idle_limit =
      empty_slabs_kept == 0 || empty_slabs_kept == keep_every_slab ? empty_slabs_kept : 1;
  lones.give(*pools.upstream_resource(), p, size_class, idle_limit);
}

bool pools_and_lones::owns(const void* p, unsigned size_class) const noexcept {
  if (size_class < table_class_count || !lones.is_lone(p, size_class)) {
    return pools.owns(p, size_class);
  }
  return lones.owns_block(p);
}

}  // namespace mallard::inline v1::detail
