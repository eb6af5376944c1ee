// Purpose: one pool per size class over one slab_set, the base of every resource of many sizes.
//
// Each class in the table (`is_looked_up`) has a hot block: the one given back last is handed out
// next, if it is near the pool's free slots. Below 512 bytes a block from elsewhere never becomes
// hot, because it would scatter later allocations. Larger classes share one. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <type_traits>

#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/core/size_classes.hpp"
#include "mallard/detail/core/slab_set.hpp"

namespace mallard::inline v1::detail {

// The hot paths read these members together. `Pool` is a slab_pool or a growing_pool.
template <class Pool>
struct pool_with_hot : Pool {
  void* hot;  // null: none
};

// All that a hot path needs to know of a class, by one access to a table.
struct looked_up_class {
  std::uint16_t pool_offset = 0;  // in bytes
  std::uint16_t index = 0;
  std::uint16_t block_bytes = 0;
  std::uint16_t reciprocal = 0;  // 2^16 / block_bytes, rounded up: exact within a bitmap word

  constexpr unsigned slots_in(std::size_t bytes) const noexcept {
    return static_cast<unsigned>(bytes * reciprocal >> 16);
  }
};

// Blocks this large are far from each other anyway: any of them may be hot.
inline constexpr unsigned first_spacious_class = class_of(512);

template <class Pool>
inline constexpr auto looked_up_by_class = [] {
  std::array<looked_up_class, table_class_count> table{};
  for (unsigned c = 0; c < table_class_count; ++c) {
    table[c].pool_offset = static_cast<std::uint16_t>(c * sizeof(pool_with_hot<Pool>));
    table[c].index = static_cast<std::uint16_t>(c);
    table[c].block_bytes = static_cast<std::uint16_t>(class_bytes(c));
    table[c].reciprocal = static_cast<std::uint16_t>(divide_up(1u << 16, class_bytes(c)));
  }
  return table;
}();

template <class Pool>
inline constexpr auto looked_up_by_granule = [] {
  std::array<looked_up_class, class_by_granule.size()> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = looked_up_by_class<Pool>[class_by_granule[i]];
  }
  return table;
}();

// With growing pools, the pools of the classes in the table begin with small slabs.
template <class Pool>
class MALLARD_API basic_class_pools : public resource_slab_set {
  static constexpr bool grows = std::is_same_v<Pool, growing_pool>;
  static constexpr const auto& layouts = grows ? growing_layouts : class_layouts;

 public:
  // `ignores`: upstream ignores deallocation, which only the heaps of many threads need to know.
  basic_class_pools(std::pmr::memory_resource* upstream, std::size_t reserve_limit,
                    bool /*ignores*/ = false, const slab_source& source = resource_source) noexcept
      : resource_slab_set(layouts.data(), upstream, reserve_limit, source) {
    reset();
  }

  // Takes a block of a small class, or what `refill(size_class)` returns when no slot is at hand.
  // `SizeClass` is a number or a granule.
  template <class SizeClass, class Refill>
  MALLARD_ALWAYS_INLINE void* take_small(SizeClass size_class, Refill&& refill) {
    const looked_up_class& of = look_up(size_class);
    pool_with_hot<Pool>& pool = small_pool(of);
    if (void* const p = pool.hot) {
      pool.hot = nullptr;
      return p;
    }
    if (pool.free_slots == 0) [[unlikely]] {
      return refill(unsigned{of.index});
    }
    return take_slot(pool, of.block_bytes);
  }

  // The same for a larger request, rounded by `class_request`. The large classes' one hot block
  // serves requests of exactly its size, so not even the class is computed.
  template <class Refill>
  MALLARD_ALWAYS_INLINE void* take_large(std::size_t request, Refill&& refill) {
    if (large_hot_request_ == request) {
      large_hot_request_ = 0;
      return large_hot_;
    }
    return take(computed_class(request), refill);
  }

  // The same for any class, ignoring its hot block.
  template <class Refill>
  MALLARD_ALWAYS_INLINE void* take(unsigned size_class, Refill&& refill) {
    slab_pool& pool = pool_of(size_class);
    if (pool.free_slots == 0) [[unlikely]] {
      return refill(size_class);
    }
    return take_slot(pool, class_steps[size_class].block_bytes);
  }

  // The usual `refill`. No lambda: see class_requests.hpp.
  struct refill_from {
    basic_class_pools& pools;
    void* operator()(unsigned size_class) const { return pools.refill_and_take(size_class); }
  };
  template <class SizeClass>
  MALLARD_ALWAYS_INLINE void* take_small(SizeClass size_class) {
    return take_small(size_class, refill_from{*this});
  }
  void* take_large(std::size_t request) { return take_large(request, refill_from{*this}); }
  MALLARD_ALWAYS_INLINE void* take(unsigned size_class) {
    return take(size_class, refill_from{*this});
  }

  template <class SizeClass>
  MALLARD_ALWAYS_INLINE void give_small(void* p, SizeClass size_class) noexcept {
    const looked_up_class& of = look_up(size_class);
    pool_with_hot<Pool>& pool = small_pool(of);
    MALLARD_ASSERT(pool.hot != p && "block given back twice");
    const std::size_t offset = address_of(p) - address_of(pool.base);
    if (offset < near_bytes(pool, of)) [[likely]] {
      if (pool.hot == nullptr) [[likely]] {
        pool.hot = p;
      } else {
        keep_at_hand(pool, of.slots_in(offset));
      }
    } else if (of.index >= first_spacious_class && pool.hot == nullptr) {
      pool.hot = p;
    } else {
      give_far(pool, of.index, p);
    }
  }

  MALLARD_BY_LEVEL void give_large(void* p, std::size_t request) noexcept {
    MALLARD_ASSERT((large_hot_request_ == 0 || large_hot_ != p) && "block given back twice");
    if (large_hot_request_ == 0) {
      large_hot_ = p;
      large_hot_request_ = request;
    } else {
      give(p, computed_class(request));
    }
  }

  // Takes back any block without making it hot.
  MALLARD_BY_LEVEL void give(void* p, unsigned size_class) noexcept {
    slab_pool& pool = pool_of(size_class);
    if (grows && layouts[size_class].smalls != nullptr) {
      give_back(pool, layout_at(pool, layouts[size_class], p), p);
    } else {
      slab_set::give(pool, layouts[size_class], class_steps[size_class], p);
    }
  }

  // Bursts, see slab_set.
  chain_ends take_many(unsigned size_class, std::size_t count, std::size_t bytes) {
    return slab_set::take_many(pool_of(size_class), size_class, count, bytes);
  }
  void give_many(unsigned size_class, void* first, std::size_t count) noexcept {
    slab_set::give_many(pool_of(size_class), size_class, first, count);
  }

  // Gives every slab back (see `slab_set::release`) and resets the pools.
  void release_all(bool forget) noexcept {
    release(forget);
    reset();
  }

  // Gives back every empty slab, including the reserve. Returns the bytes.
  std::size_t trim() noexcept;
  // The same for another attempt, for which hot blocks are found, too. False if there was none, or
  // if it would be lost.
  bool make_room() noexcept;
  // Returns the hot blocks to the others. False if there was none.
  bool cool() noexcept;

  // Takes every empty slab out, including the reserve; see slab_set.
  slab* detach_empty() noexcept;

  // Bytes of free blocks that `usage()` counts as taken because a pool holds them at hand.
  std::size_t at_hand_bytes() const noexcept;

  // For assertions, as in slab_set.
  bool owns(const void* p, unsigned size_class) const noexcept;
  using slab_set::owns;

  // The pools by size class, for functions of slab_set.
  struct pools_by_class {
    basic_class_pools& of;
    static constexpr std::size_t size() noexcept { return class_count; }
    slab_pool& operator[](unsigned size_class) const noexcept { return of.pool_of(size_class); }
  };
  pools_by_class pools() noexcept { return {*this}; }

  // Takes over everything that `from` holds and resets `from`.
  void absorb_all(basic_class_pools& from) noexcept
    requires(!grows);

  // Puts the blocks at hand back into their slabs.
  void rest() noexcept;

 private:
  MALLARD_COLD void* refill_and_take(unsigned size_class);
  MALLARD_ALWAYS_INLINE static void give_far(Pool& pool, unsigned size_class, void* p) noexcept {
    const slab_layout& layout = layouts[size_class];
    if constexpr (grows) {
      if (is_among_smalls(pool, p)) [[unlikely]] {
        return give_among_smalls(pool, p, size_class);
      }
    }
    give_back(pool, layout, p);
  }
  static void give_among_smalls(slab_pool& pool, void* p, unsigned size_class) noexcept;
  void reset() noexcept {
    zero(&pools_, sizeof pools_);
    large_hot_request_ = 0;
  }

  MALLARD_ALWAYS_INLINE static std::uintptr_t near_bytes(const Pool& pool,
                                                         const looked_up_class& of) noexcept {
    if constexpr (grows) return pool.near_bytes;
    return class_steps[of.index].word_bytes;
  }
  static const looked_up_class& look_up(unsigned size_class) noexcept {
    return looked_up_by_class<Pool>[size_class];
  }
  static const looked_up_class& look_up(size_granule granule) noexcept {
    return looked_up_by_granule<Pool>[granule.index()];
  }
  MALLARD_ALWAYS_INLINE pool_with_hot<Pool>& small_pool(const looked_up_class& of) noexcept {
    return *reinterpret_cast<pool_with_hot<Pool>*>(
        reinterpret_cast<std::byte*>(pools_.small.data()) + of.pool_offset);
  }
  slab_pool& pool_of(unsigned size_class) noexcept {
    if (size_class < table_class_count) return pools_.small[size_class];
    return pools_.large[size_class - table_class_count];
  }
  const slab_pool& pool_of(unsigned size_class) const noexcept {
    return const_cast<basic_class_pools&>(*this).pool_of(size_class);
  }

  void* large_hot_;
  std::size_t large_hot_request_;  // 0: there is none

  struct {
    std::array<pool_with_hot<Pool>, table_class_count> small;
    std::array<slab_pool, class_count - table_class_count> large;
  } pools_;
};

using class_pools = basic_class_pools<slab_pool>;
using growing_class_pools = basic_class_pools<growing_pool>;

}  // namespace mallard::inline v1::detail
