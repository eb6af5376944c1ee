// Purpose: one user of a segment: takes slots from slabs that are its own, without lock or atomic
// operation, and gives slots back to the owner of their slab.
//
// Each size class has a ring of slabs. The client uses up the bitmap word at hand, then the slab's
// other words, then those of the next few slabs of the ring. Only when these are full, it asks the
// segment, under its lock, for a slab without an owner, or a fresh one. This object may lose its
// rings; the truth is in the segment.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/config.hpp"
#include "mallard/detail/memory/segment.hpp"
#include "mallard/detail/memory/segment_layout.hpp"

namespace mallard::inline v1::detail {

class MALLARD_API segment_client {
 public:
  explicit segment_client(segment& of) noexcept;
  segment_client(const segment_client&) = delete;
  segment_client& operator=(const segment_client&) = delete;

  // Null when the word at hand has no free slot.
  MALLARD_ALWAYS_INLINE void* take(unsigned size_class) noexcept {
    const lane& at = lanes_[size_class];
    const std::uint64_t free = at.word->load(std::memory_order_relaxed);
    if (free == 0) [[unlikely]] {
      return nullptr;
    }
    at.word->store(free & (free - 1), std::memory_order_relaxed);
    return at.first + static_cast<std::size_t>(std::countr_zero(free)) * at.block_bytes;
  }

  MALLARD_ALWAYS_INLINE void give(void* p, unsigned size_class) noexcept {
    // A segment is mapped so that its slabs are aligned to their size here too.
    const slab_shape& shape = shapes_[size_class];
    const std::uintptr_t inside = address_of(p) & (shape.slab_bytes - 1);
    auto& slab = *reinterpret_cast<segment_slab*>(address_of(p) - inside);
    MALLARD_ASSERT(segment_.has(p) && slab.size_class == size_class &&
                   "a block of another resource, or of another size");
    const std::uint64_t slot = (inside - shape.first) * shape.reciprocal >> 32;
    const std::uint64_t bit = std::uint64_t{1} << (slot & 63);
    if (slab.owner.load(std::memory_order_relaxed) == number_) [[likely]] {
      auto& word = slab.free_words()[slot / 64];
      const std::uint64_t free = word.load(std::memory_order_relaxed);
      MALLARD_ASSERT((free & bit) == 0 && "a block given back twice");
      word.store(free | bit, std::memory_order_relaxed);
    } else {
      slab.returned_words(shape)[slot / 64].fetch_or(bit, std::memory_order_release);
    }
  }

  // Takes a slot by any means; null, and the system's error or 0, when there is no memory. Throws
  // memory_error when it cannot become a client of the segment.
  void* take_slowly(unsigned size_class, int& error);
  segment::taken take_units(std::uint32_t count, std::uint32_t alignment);
  void give_units(std::uint32_t first, std::uint32_t count);

  // Becomes a client; a file has only one. True when the previous one did not leave.
  bool attach();
  // False when it is no client, as in the child of a fork.
  bool leave() noexcept;
  // For the child of a fork: what is the parent's stays the parent's.
  void forget() noexcept;
  // Gives back empty slabs.
  void trim();
  // Takes over what dead clients have left. Returns how many of these there were.
  unsigned adopt_the_dead();

 private:
  struct lane {
    std::atomic<std::uint64_t>* word;  // at hand
    std::byte* first;                  // the slot of its lowest bit
    std::size_t block_bytes;
    std::uint32_t current = no_unit;  // the slab it is of
    std::uint32_t sweep = no_unit;    // the next slab of the ring to inspect
  };
  static constexpr std::uint32_t not_attached = ~std::uint32_t{0};

  void need_to_be_attached() {
    if (number_ == not_attached) attach_with_lock();
  }
  bool attach_with_lock();
  bool take_client_slot(std::uint32_t i, bool exclusive, bool& was_in_use) noexcept;
  unsigned adopt_the_dead_with_lock() noexcept;
  std::uint32_t collect(std::uint32_t unit, const slab_shape& shape) noexcept;
  bool use_slab(unsigned size_class, std::uint32_t unit) noexcept;
  bool use_next_of_ring(unsigned size_class, unsigned most, std::uint32_t least_slots) noexcept;
  void add_to_ring(unsigned size_class, std::uint32_t unit) noexcept;
  bool use_slab_of_segment(unsigned size_class, bool may_grow, int& error) noexcept;
  void put_away(lane& l) noexcept;
  template <class Keep>
  void filter_ring(unsigned size_class, Keep&& keep) noexcept;
  void give_empty_slabs() noexcept;

  segment& segment_;
  std::uint32_t number_ = not_attached;  // of the client slot, from 1
  std::array<lane, segment_class_count> lanes_;
  std::array<slab_shape, segment_class_count> shapes_;
  std::atomic<std::uint64_t> no_slots_{0};
};

}  // namespace mallard::inline v1::detail
