// Purpose: moves free slots of a slab to a magazine.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/core/slab.hpp"
#include "malloc/malloc_classes.hpp"
#include "malloc/thread_cache.hpp"

namespace mallard::inline v1::detail {

// Writes the addresses of neighbouring blocks from the slot downwards, in pairs; returns the slot
// below.
inline void** fill_down(void** slot, std::byte* p, std::size_t count,
                        std::size_t block_bytes) noexcept {
  using two_addresses [[gnu::vector_size(16), gnu::may_alias, gnu::aligned(8)]] =
      unsigned long long;
  if (count % 2 != 0) {
    *slot-- = p;
    p += block_bytes;
  }
  const unsigned long long address = address_of(p);
  const unsigned long long step = 2 * block_bytes;
  two_addresses pair{address + block_bytes, address};
  const two_addresses steps{step, step};
  for (void** const end = slot - count / 2 * 2; slot != end; slot -= 2) {
    *reinterpret_cast<two_addresses*>(slot - 1) = pair;
    pair += steps;
  }
  return slot;
}

// Moves up to `most` of the slots at hand, all of one bitmap word, to the places above `bottom`.
// The lowest address is handed out first, so it comes last. Returns how many.
inline std::size_t fill_from_pool(slab_pool& pool, void** bottom, std::size_t most,
                                  unsigned size_class) noexcept {
  const std::size_t block_bytes = class_steps[size_class].block_bytes;
  const std::size_t count =
      std::min(static_cast<std::size_t>(std::popcount(pool.free_slots)), most);
  void** slot = bottom + count;
  std::uint64_t free = pool.free_slots;
  while (slot != bottom) {
    const auto start = static_cast<unsigned>(std::countr_zero(free));
    std::byte* const p = pool.base + start * block_bytes;
    const auto run = static_cast<unsigned>(std::countr_one(free >> start));
    const std::size_t taken = std::min<std::size_t>(run, static_cast<std::size_t>(slot - bottom));
    slot = fill_down(slot, p, taken, block_bytes);
    free &= ~(low_bits(static_cast<unsigned>(taken)) << start);
  }
  pool.free_slots = free;
  return count;
}

// Empties the magazine or portion, whose blocks go back: from here on, a signal handler that does
// not return must find none of them. Returns where its top was.
inline void** take_out(void**& top) noexcept {
  void** const before = top;
  top = const_cast<void**>(&no_slots[0]);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return before;
}

// Marks room for blocks that nobody has put there.
inline void note_filled_by_frees(void** first, void** last) noexcept {
  std::fill(first, last, reinterpret_cast<void*>(filled_by_frees_only));
}

}  // namespace mallard::inline v1::detail
