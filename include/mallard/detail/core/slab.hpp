// Purpose: the slab's header and the two hot operations of the engine: take a slot, give one back.
//
// A bitmap behind the header records the free slots, never the blocks themselves. So a free block
// is not touched, and slots are handed out in address order. A pool works on one bitmap word at a
// time: it takes the word's free slots into itself, one bit per slot, and the slab counts them as
// taken. A block given back goes to the pool's word if it is near, else to its slab's bitmap; then
// the slab counts down, and only at zero the slow path runs. Only the owner's thread writes here.
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
  ring,     // has free slots; linked with the other slabs of its pool, or its current one
  full,     // in no ring until enough slots are free again
  reserve,  // empty, kept for any pool that needs a slab of this size
};

class slab_set;

// With the first bitmap word it fills one cache line, all that a slab with few blocks touches.
struct slab {
  // Written by the thread that owns the slab; other threads read it to send a block to its slab.
  atomic<slab_set*> owner;
  slab* ring_next;
  slab* ring_prev;
  slab* all_next;
  slab* all_prev;
  // Slots to be given back before the slab changes places; `floor` slots are taken then.
  std::uint32_t countdown;
  std::uint32_t floor;
  std::uint16_t carved_slots;
  std::uint16_t carved_words;  // words of the bitmap that have been handed out at least once
  std::uint16_t next_word;     // where the pool's sweep continues
  slab_place place : 4;
  std::uint8_t small : 4;  // 0: whole; else its size, as an index into the layout's `smalls` plus 1
  std::uint8_t layout_index;  // in the owner's table of layouts

  // Taken slots, including those that a pool holds at hand.
  std::uint32_t taken() const noexcept { return floor + countdown; }
  std::uint64_t* words() noexcept {
    return reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::byte*>(this) + slab_header_bytes);
  }
  std::byte* slot(const slab_layout& layout, std::uint32_t index) noexcept {
    return start_of(this) + std::size_t{index} * layout.block_bytes;
  }
};
static_assert(sizeof(slab) == slab_header_bytes);

// The slots at hand of one size class: bit i of `free_slots` is the block at `base + i *
// block_bytes`. Their slab counts them as taken. (Exported because templates of it are.)
struct MALLARD_API slab_pool {
  std::uint64_t free_slots;
  std::byte* base;  // in the current slab; null when there is none

  slab* current(const slab_layout& layout) const noexcept;
};

// The pool of a layout with small sizes. Its small slabs are linked in address order. A block
// between the first byte of the first and the last byte of the last is searched for among them;
// every other block is in a whole slab.
struct MALLARD_API growing_pool : slab_pool {
  std::uintptr_t near_bytes;  // what a bitmap word of the current slab covers
  // The address of the first small slab, plus the largest size reached (as `slab::small`; one more
  // than the last: whole slabs). No block lies between the two.
  std::uintptr_t smalls_begin;
  std::uintptr_t smalls_bytes;  // 0: none

  static constexpr std::uintptr_t size_mask = smallest_slab_bytes - 1;
  slab* first_small() const noexcept {
    return smalls_bytes == 0 ? nullptr : reinterpret_cast<slab*>(smalls_begin & ~size_mask);
  }
  unsigned largest_size() const noexcept { return smalls_begin & size_mask; }
  void come_to_size(unsigned size) noexcept { smalls_begin = (smalls_begin & ~size_mask) | size; }
  // Null: no small slab is left.
  void set_smalls(slab* first, const slab_layout& layout) noexcept;
};

// The link lies behind a small slab's bitmap.
inline slab*& next_small(slab& s, const slab_layout& layout) noexcept {
  return reinterpret_cast<slab*&>(s.words()[layout.words]);
}

inline void growing_pool::set_smalls(slab* first, const slab_layout& layout) noexcept {
  smalls_begin = address_of(first) | largest_size();
  smalls_bytes = 0;
  for (slab* s = first; s != nullptr; s = next_small(*s, layout.smalls[s->small - 1])) {
    smalls_bytes = address_of(s) - address_of(first) + layout.smalls[s->small - 1].slab_bytes;
  }
}

// Whether a block may lie in a small slab of its pool.
MALLARD_ALWAYS_INLINE bool is_among_smalls(const growing_pool& pool, const void* p) noexcept {
  return address_of(p) - pool.smalls_begin < pool.smalls_bytes;
}

// The small slab that a block lies in; null when that is a whole one. O(small slabs of the pool).
inline slab* small_home_of(const growing_pool& pool, const slab_layout& layout,
                           const void* p) noexcept {
  slab* s = pool.first_small();
  if (address_of(p) - address_of(s) >= pool.smalls_bytes) return nullptr;
  for (; s != nullptr; s = next_small(*s, layout.smalls[s->small - 1])) {
    if (address_of(p) - address_of(s) < layout.smalls[s->small - 1].slab_bytes) break;
  }
  return s;
}
inline slab* small_home_of(const slab_pool& pool, const slab_layout& layout,
                           const void* p) noexcept {
  if (layout.smalls == nullptr) return nullptr;
  return small_home_of(static_cast<const growing_pool&>(pool), layout, p);
}

// The layout of a block's slab.
inline const slab_layout& layout_at(const slab_pool& pool, const slab_layout& layout,
                                    const void* p) noexcept {
  const slab* const small = small_home_of(pool, layout, p);
  return small == nullptr ? layout : layout.smalls[small->small - 1];
}

inline slab* slab_pool::current(const slab_layout& layout) const noexcept {
  if (base == nullptr) return nullptr;
  slab* const small = small_home_of(*this, layout, base);
  return small != nullptr ? small : home_of(base, layout.slab_bytes);
}

// Takes the lowest address. Requires a free slot at hand.
MALLARD_ALWAYS_INLINE void* take_slot(slab_pool& pool, std::size_t block_bytes) noexcept {
  const auto slot = static_cast<unsigned>(std::countr_zero(pool.free_slots));
  pool.free_slots &= pool.free_slots - 1;
  return pool.base + slot * block_bytes;
}

// Whether a block lies within the span of one bitmap word from `base`, and so in the same slab.
MALLARD_ALWAYS_INLINE bool is_near(const slab_pool& pool, const void* p,
                                   const slot_step& step) noexcept {
  return address_of(p) - address_of(pool.base) < step.word_bytes;
}

// Puts back at hand the block `slot` slots behind `base`.
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
