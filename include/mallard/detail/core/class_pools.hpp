// Purpose: one pool per size class over one slab_set; what every resource of many sizes is made of.
//
// Classes up to `table_limit_bytes` are small: they have a hot block, which is handed back and
// forth without asking its slab. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>

#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/core/size_classes.hpp"
#include "mallard/detail/core/slab_set.hpp"

namespace mallard::inline v1::detail {

class MALLARD_API class_pools : public slab_set {
 private:
  MALLARD_ALWAYS_INLINE auto own_refill() noexcept {
    return [this](unsigned size_class) { return refill_and_take(size_class); };
  }

 public:
  class_pools(std::pmr::memory_resource* upstream, std::size_t reserve_limit) noexcept
      : slab_set(class_layouts.data(), upstream, reserve_limit) {
    reset();
  }

  // A block of a small class; when there is none at hand, what `refill(size_class)` returns.
  template <class Refill>
  MALLARD_ALWAYS_INLINE void* take_small(unsigned size_class, Refill&& refill) {
    if (void* const p = pools_.hot[size_class]) {
      pools_.hot[size_class] = nullptr;
      return p;
    }
    return take(size_class, refill);
  }

  // The same for any class.
  template <class Refill>
  MALLARD_ALWAYS_INLINE void* take(unsigned size_class, Refill&& refill) {
    slab_pool& pool = pools_.by_class[size_class];
    if (pool.free_slots == 0) [[unlikely]] {
      return refill(size_class);
    }
    return take_slot(pool, class_layouts[size_class].block_bytes);
  }

  MALLARD_ALWAYS_INLINE void* take_small(unsigned size_class) {
    return take_small(size_class, own_refill());
  }
  MALLARD_ALWAYS_INLINE void* take(unsigned size_class) { return take(size_class, own_refill()); }

  MALLARD_ALWAYS_INLINE void give_small(void* p, unsigned size_class) noexcept {
    MALLARD_ASSERT(pools_.hot[size_class] != p && "block given back twice");
    if (pools_.hot[size_class] == nullptr) {
      pools_.hot[size_class] = p;
    } else {
      give(p, size_class);
    }
  }

  MALLARD_ALWAYS_INLINE void give(void* p, unsigned size_class) noexcept {
    if (give_slot(p, class_layouts[size_class])) [[unlikely]] {
      settle_class(size_class, p);
    }
  }

  // Gives every slab back (see `slab_set::release`); the pools are as new.
  void release_all(bool forget) noexcept {
    release(forget);
    reset();
  }

  // Gives back every empty slab, the reserve included. Returns the bytes.
  std::size_t trim() noexcept;

  // Of free blocks that count as taken in `usage()`, because a pool holds them at hand.
  std::size_t at_hand_bytes() const noexcept;

  // Whether a block of the class can be had without a further slab; one more is then at hand.
  bool advance_class(unsigned size_class) noexcept {
    return advance(pools_.by_class[size_class], size_class);
  }

  // Moves one slab with free blocks of the class here, which has none. `from` must be at rest.
  bool adopt_class(unsigned size_class, class_pools& from) noexcept {
    return adopt(pools_.by_class[size_class], from, from.pools_.by_class[size_class], size_class);
  }

  // Takes over everything that `from` holds; `from` is as new.
  void absorb_all(class_pools& from) noexcept;

  // Puts the blocks at hand back into their slabs.
  void rest() noexcept;

 private:
  MALLARD_COLD void* refill_and_take(unsigned size_class);
  void reset() noexcept { zero(&pools_, sizeof pools_); }
  void cool() noexcept;
  MALLARD_COLD void settle_class(unsigned size_class, void* p) noexcept;

  struct {
    std::array<void*, table_class_count> hot;
    std::array<slab_pool, class_count> by_class;
  } pools_;
};

}  // namespace mallard::inline v1::detail
