// Purpose: the slab's header and the two hot operations of the engine: take a slot, give one back.
//
// Free state lives in the header's bitmap, never in the blocks: a free block is not touched, and
// free slots come out in address order. A pool works on one bitmap word at a time, held in the pool
// itself with one bit per slot.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/atomic.hpp"
#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/slab_home.hpp"
#include "mallard/detail/core/slab_layout.hpp"

namespace mallard::inline v1::detail {

enum class slab_place : std::uint8_t {
  ring,     // has free slots; linked with the other slabs of its pool, or the pool's current one
  full,     // in no ring until enough slots are free again
  reserve,  // empty, kept for any pool that needs a slab of this size
};

class slab_set;

// With the first bitmap word it fills one cache line, all that a slab with few blocks touches.
struct slab {
  // Written by the thread that owns the slab; other threads read it to learn where a block of this
  // slab has to go.
  atomic<slab_set*> owner;
  slab* ring_next;
  slab* ring_prev;
  slab* all_next;
  slab* all_prev;
  // Slots given back until the slab must change places; `floor` is what is still taken then.
  std::uint32_t countdown;
  std::uint32_t floor;
  std::uint16_t carved_slots;
  std::uint16_t carved_words;  // words of the bitmap that have been handed out at least once
  std::uint16_t next_word;     // where the pool's sweep goes on
  slab_place place;
  std::uint8_t layout_index : 7;  // in the owner's table of layouts
  std::uint8_t is_first : 1;      // of that layout's `first`

  // Taken slots, among them those whose bits a pool holds.
  std::uint32_t taken() const noexcept { return floor + countdown; }
  std::uint64_t* words() noexcept {
    return reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::byte*>(this) + slab_header_bytes);
  }
  std::byte* slot(const slab_layout& layout, std::uint32_t index) noexcept {
    return start_of(this) + std::size_t{index} * layout.block_bytes;
  }
};
static_assert(sizeof(slab) == slab_header_bytes);

// The slots at hand of one size class: `free_slots` bit i is the block at `base + i * block_bytes`.
// They count as taken in their slab. (Exported, as templates of it are.)
struct MALLARD_API slab_pool {
  std::uint64_t free_slots;
  std::byte* base;  // in the current slab; null when there is none

  slab* current(const slab_layout& layout) const noexcept;
};

// Of a layout that has a `first` the pool is one of these.
struct MALLARD_API growing_pool : slab_pool {
  std::uintptr_t near_bytes;  // what a bitmap word of the current slab covers
  // Where a whole slab around the first one would begin. 0: there was no slab yet;
  // `first_is_gone`: there is no first one any more.
  std::uintptr_t first_home;
};
inline constexpr std::uintptr_t first_is_gone = 1;

// Whether a block lies in its pool's first slab. No other slab of the pool overlaps that one, so
// the address that is compared is one that is needed anyway.
inline bool is_in_first(const growing_pool& pool, const slab_layout& layout,
                        const void* p) noexcept {
  return (address_of(p) & ~(std::uintptr_t{layout.slab_bytes} - 1)) == pool.first_home;
}
inline bool is_in_first(const slab_pool& pool, const slab_layout& layout, const void* p) noexcept {
  return layout.first != nullptr && is_in_first(static_cast<const growing_pool&>(pool), layout, p);
}

// That of a block's slab.
inline const slab_layout& layout_at(const slab_pool& pool, const slab_layout& layout,
                                    const void* p) noexcept {
  return is_in_first(pool, layout, p) ? *layout.first : layout;
}

inline slab* slab_pool::current(const slab_layout& layout) const noexcept {
  if (base == nullptr) return nullptr;
  return home_of(base, layout_at(*this, layout, base).slab_bytes);
}

// Requires a free slot at hand. The lowest address first.
MALLARD_ALWAYS_INLINE void* take_slot(slab_pool& pool, std::size_t block_bytes) noexcept {
  const auto slot = static_cast<unsigned>(std::countr_zero(pool.free_slots));
  pool.free_slots &= pool.free_slots - 1;
  return pool.base + slot * block_bytes;
}

// Whether a block lies near those at hand: within the span of one bitmap word from `base`, and so
// in the same slab.
MALLARD_ALWAYS_INLINE bool is_near(const slab_pool& pool, const void* p,
                                   const slot_step& step) noexcept {
  return address_of(p) - address_of(pool.base) < step.word_bytes;
}

// Puts a block that is near back at hand: so many slots behind `base`.
MALLARD_ALWAYS_INLINE void keep_at_hand(slab_pool& pool, unsigned slot) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << slot;
  MALLARD_ASSERT((pool.free_slots & bit) == 0 && "block given back twice");
  pool.free_slots |= bit;
}

// Returns true when the slab must change places (see `slab_set::settle`).
MALLARD_ALWAYS_INLINE bool give_slot(void* p, const slab_layout& layout) noexcept {
  const std::uintptr_t address = address_of(p);
  slab* const home = home_of(p, layout.slab_bytes);
  const std::size_t offset =
      is_header_in_slab ? address - address_of(home) : address & (layout.slab_bytes - 1);
  const std::size_t granule = offset >> layout.granule_shift;
  std::uint64_t& word = home->words()[granule / 64];
  const std::uint64_t bit = std::uint64_t{1} << (granule % 64);
  MALLARD_ASSERT((word & bit) == 0 && "block given back twice");
  MALLARD_ASSERT(offset % layout.block_bytes == 0 && "not the start of a block of this size");
  word |= bit;
  return --home->countdown == 0;
}

}  // namespace mallard::inline v1::detail
