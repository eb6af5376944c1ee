// Purpose: one pool per size class over one slab_set; what every resource of many sizes is made of.
// The sizes that are looked up (`is_looked_up`) are small and have a hot block each: the one given
// back last, if it lies near the other blocks at hand, is the first to be handed out again. Blocks
// from anywhere would scatter what is allocated next. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>

#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/core/size_classes.hpp"
#include "mallard/detail/core/slab_set.hpp"

namespace mallard::inline v1::detail {

class MALLARD_API class_pools : public resource_slab_set {
 public:
  class_pools(std::pmr::memory_resource* upstream, std::size_t reserve_limit) noexcept
      : resource_slab_set(class_layouts.data(), upstream, reserve_limit) {
    reset();
  }

  // A block of a small class; when there is none at hand, what `refill(size_class)` returns.
  template <class Refill>
  MALLARD_ALWAYS_INLINE void* take_small(unsigned size_class, Refill&& refill) {
    if (void* const p = hot_[size_class]) {
      hot_[size_class] = nullptr;
      return p;
    }
    return take(size_class, refill);
  }

  // The same for a larger request, which is rounded as `class_request` does. Large blocks have one
  // hot block together, for requests of its size: not even the class has to be looked for.
  template <class Refill>
  MALLARD_ALWAYS_INLINE void* take_large(std::size_t request, Refill&& refill) {
    if (large_hot_request_ == request) {
      large_hot_request_ = 0;
      return large_hot_;
    }
    return take(computed_class(request), refill);
  }

  // The same for any class, without a look at the hot block.
  template <class Refill>
  MALLARD_ALWAYS_INLINE void* take(unsigned size_class, Refill&& refill) {
    slab_pool& pool = pools_[size_class];
    if (pool.free_slots == 0) [[unlikely]] {
      return refill(size_class);
    }
    return take_slot(pool, class_steps[size_class].block_bytes);
  }

  MALLARD_ALWAYS_INLINE void* take_small(unsigned size_class) {
    return take_small(size_class, [this](unsigned c) { return refill_and_take(c); });
  }
  void* take_large(std::size_t request) {
    return take_large(request, [this](unsigned c) { return refill_and_take(c); });
  }
  MALLARD_ALWAYS_INLINE void* take(unsigned size_class) {
    return take(size_class, [this](unsigned c) { return refill_and_take(c); });
  }

  MALLARD_ALWAYS_INLINE void give_small(void* p, unsigned size_class) noexcept {
    slab_pool& pool = pools_[size_class];
    MALLARD_ASSERT(hot_[size_class] != p && "block given back twice");
    if (size_class < first_spacious_class && !is_near(pool, p, class_steps[size_class])) {
      give_back(pool, size_class, class_layouts[size_class], p);
    } else if (hot_[size_class] == nullptr) {
      hot_[size_class] = p;
    } else {
      give(p, size_class);
    }
  }

  void give_large(void* p, std::size_t request) noexcept {
    MALLARD_ASSERT((large_hot_request_ == 0 || large_hot_ != p) && "block given back twice");
    if (large_hot_request_ == 0) {
      large_hot_ = p;
      large_hot_request_ = request;
    } else {
      give(p, computed_class(request));
    }
  }

  MALLARD_ALWAYS_INLINE void give(void* p, unsigned size_class) noexcept {
    slab_set::give(pools_[size_class], size_class, class_layouts[size_class],
                   class_steps[size_class], p);
  }

  // Bursts, see slab_set.
  chain_ends take_many(unsigned size_class, std::size_t count, std::size_t bytes) {
    return slab_set::take_many(pools_[size_class], size_class, count, bytes);
  }
  void give_many(unsigned size_class, void* first, std::size_t count) noexcept {
    slab_set::give_many(pools_[size_class], size_class, first, count);
  }

  // Gives every slab back (see `slab_set::release`); the pools are as new.
  void release_all(bool forget) noexcept {
    release(forget);
    reset();
  }

  // Gives back every empty slab, the reserve included. Returns the bytes.
  std::size_t trim() noexcept;

  // Takes every empty slab out, the reserve included; see slab_set.
  slab* detach_empty() noexcept;

  // Of free blocks that count as taken in `usage()`, because a pool holds them at hand.
  std::size_t at_hand_bytes() const noexcept;

  std::array<slab_pool, class_count>& pools() noexcept { return pools_; }

  // Takes over everything that `from` holds; `from` is as new.
  void absorb_all(class_pools& from) noexcept;

  // Puts the blocks at hand back into their slabs.
  void rest() noexcept;

 private:
  MALLARD_COLD void* refill_and_take(unsigned size_class);
  void cool() noexcept;
  void reset() noexcept {
    zero(hot_.data(), sizeof hot_);
    zero(pools_.data(), sizeof pools_);
    large_hot_request_ = 0;
  }

  // Blocks of so many bytes are far from each other wherever they are: any may be hot.
  static constexpr unsigned first_spacious_class = class_of(512);

  std::array<void*, table_class_count> hot_;
  void* large_hot_;
  std::size_t large_hot_request_;  // 0: there is none

  std::array<slab_pool, class_count> pools_;
};

}  // namespace mallard::inline v1::detail
