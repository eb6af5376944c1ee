// Purpose: malloc without its names: the hot paths, and the slow ones behind them. The entry points
// of C and C++ are thin layers over these functions.
//
//   allocate(bytes)
//     class by table, block from the thread's magazine         no lock, no atomic operation
//     allocate_slow                                            every call, while samples are taken
//       malloc_heap::refill                                    bits of a slab to the magazine
//         collect what other threads freed
//         the pool's next bits, an idle heap's slab, a new slab from the supply (lock)
//       large_space::allocate                                  above the largest class (lock)
//       huge_blocks::allocate                                  a mapping of its own
//   deallocate(p)
//     mark of the slice, block to the thread's magazine        no lock, no atomic operation
//     deallocate_slow
//       malloc_heap::spill                                     half the magazine to the bits
//       malloc_heap::send                                      another heap's: batched
//       large_space::deallocate, huge_blocks::deallocate
#pragma once

#include <cstddef>
#include <cstdint>

#include "malloc/malloc_checks.hpp"
#include "malloc/region.hpp"
#include "malloc/sampling.hpp"
#include "malloc/thread_cache.hpp"

namespace mallard::inline v1::detail {

// Null when there is no memory. All of these keep errno.
void* allocate_slow(std::size_t bytes) noexcept;
void deallocate_slow(void* p) noexcept;  // null is a block of no bytes
// For blocks that must not stay with this thread, or for which its magazine has no room.
void deallocate_elsewhere(void* p, slice_mark mark) noexcept;

// Null when the thread has none at hand.
MALLARD_ALWAYS_INLINE void* allocate_at_hand(std::size_t bytes) noexcept {
  if (bytes > largest_class_request) [[unlikely]] {
    return nullptr;
  }
  void* const p = cache.take(magazine_at_hand_of(bytes));
  if (p != nullptr) [[likely]] {
    checks::taken(p);
  }
  return p;
}

MALLARD_ALWAYS_INLINE void* allocate(std::size_t bytes) noexcept {
  if (void* const p = allocate_at_hand(bytes)) [[likely]] {
    return p;
  }
  return allocate_slow(bytes);
}

// Null is a block of no bytes. `size` is what the caller says it is.
template <class Size = checks::any_size>
MALLARD_ALWAYS_INLINE void deallocate(void* p, Size size = Size()) noexcept {
  if (!checks::freeing(p)) [[unlikely]] {
    return checks::refused(p, size);
  }
  // A region's first slice holds its header: a block that begins there is a huge one, or null.
  const std::size_t index = region::index_of(p);
  if (index == 0) [[unlikely]] {
    return deallocate_slow(p);
  }
  const slice_mark mark = region::of(p)->mark_at(index);
  if (mark.has_any(cache.foreign)) [[unlikely]] {
    checks::freed_as(p, mark, size);
    return deallocate_elsewhere(p, mark);
  }
  if (!checks::freed_as_class(p, mark.size_class(), size)) [[unlikely]] {
    return checks::freed_oddly(p, mark.size_class(), size);
  }
  if (!cache.give(p, mark.magazine())) [[unlikely]] {
    return deallocate_elsewhere(p, mark);
  }
}

// `alignment` is a power of two.
void* allocate_aligned_slow(std::size_t bytes, std::size_t alignment) noexcept;

// Null when the thread has none at hand, or the alignment is 0; others must be powers of two.
MALLARD_ALWAYS_INLINE void* allocate_aligned_at_hand(std::size_t bytes,
                                                     std::size_t alignment) noexcept {
  // A multiple of the alignment, or of that of all blocks: its class is aligned enough.
  const std::size_t before_last = request_with_canary(bytes, alignment) - 1;
  if (before_last >= largest_class_bytes) [[unlikely]] {
    return nullptr;
  }
  void* const p = cache.take(magazine_at_hand[before_last / malloc_alignment + 1]);
  if (p != nullptr) [[likely]] {
    checks::taken(p);
  }
  return p;
}

MALLARD_ALWAYS_INLINE void* allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept {
  if (void* const p = allocate_aligned_at_hand(bytes, alignment)) [[likely]] {
    return p;
  }
  return allocate_aligned_slow(bytes, alignment);
}

void* allocate_zeroed_slow(std::size_t bytes) noexcept;

// So few bytes are zero before a call of memset has begun.
inline constexpr std::size_t most_zeroed_inline = 128;

// Blocks are multiples of 16: stores from both ends, which may meet in the middle.
MALLARD_ALWAYS_INLINE void zero_few(void* p, std::size_t bytes) noexcept {
  using two_words [[gnu::vector_size(16), gnu::may_alias]] = long long;
  auto* const begin = static_cast<two_words*>(p);
  two_words* const end = begin + (bytes + 15) / 16;
  begin[0] = end[-1] = two_words{};
  if (bytes <= 32) return;
  begin[1] = end[-2] = two_words{};
  if (bytes <= 64) return;
  begin[2] = begin[3] = end[-3] = end[-4] = two_words{};
}

MALLARD_ALWAYS_INLINE void* allocate_zeroed(std::size_t bytes) noexcept {
  if (bytes - 1 < most_zeroed_inline) [[likely]] {
    if (void* const p = cache.take(magazine_at_hand_of(bytes))) [[likely]] {
      checks::taken(p);
      const kept_canary keep(p, bytes);
      zero_few(p, bytes);
      return p;
    }
  }
  return allocate_zeroed_slow(bytes);
}

// So few bytes are copied before a call of memcpy has begun.
inline constexpr std::size_t most_copied_inline = 64;

// Blocks are multiples of 16 and do not overlap: copies from both ends, as above.
MALLARD_ALWAYS_INLINE void copy_few(void* to, const void* from, std::size_t bytes) noexcept {
  using two_words [[gnu::vector_size(16), gnu::may_alias]] = long long;
  const auto* const source = static_cast<const two_words*>(from);
  auto* const begin = static_cast<two_words*>(to);
  const std::size_t count = (bytes + 15) / 16;
  begin[0] = source[0];
  begin[count - 1] = source[count - 1];
  if (bytes <= 32) return;
  begin[1] = source[1];
  begin[count - 2] = source[count - 2];
}

// Resizes the block where it is, if that wastes little. Returns whether it did.
bool resize_in_place(void* p, std::size_t bytes) noexcept;
void* reallocate_slow(void* p, std::size_t bytes) noexcept;

// Whether the block is in a slab, large enough for the bytes, and not wastefully large. False for
// null, and for no bytes.
MALLARD_ALWAYS_INLINE bool may_stay(const void* p, std::size_t bytes) noexcept {
  const std::size_t index = region::index_of(p);
  if (checks::keeps_classes || index == 0) return false;
  const slice_mark mark = region::of(p)->mark_at(index);
  if (!mark.may_be_slab()) return false;
  // More bytes than there are wrap to a large number.
  const std::size_t have = block_bytes_of(mark.size_class());
  return have - bytes <= have / 2;
}

// The rest of the work when a block has moved, out of line so that other callers save no registers.
[[gnu::returns_nonnull]] void* copied(void* to, void* from, std::size_t bytes) noexcept;
[[gnu::returns_nonnull]] void* freed_elsewhere(void* to, void* from, slice_mark mark) noexcept;

// Moves the block to another one that the thread has at hand. Null, with nothing changed, when it
// is not so simple, for null, and for no bytes.
MALLARD_ALWAYS_INLINE void* resize_at_hand(void* p, std::size_t bytes) noexcept {
  const std::size_t index = region::index_of(p);
  if (checks::keeps_classes || index == 0 || bytes - 1 >= largest_class_request) [[unlikely]] {
    return nullptr;
  }
  const slice_mark mark = region::of(p)->mark_at(index);
  if (!mark.is_slab()) [[unlikely]] {
    return nullptr;
  }
  const std::size_t have = block_bytes_of(mark.size_class());
  void* const moved = cache.take(magazine_at_hand_of(bytes));
  if (moved == nullptr) [[unlikely]] {
    return nullptr;
  }
  const std::size_t kept = have < bytes ? have : bytes;
  if (kept > most_copied_inline) return copied(moved, p, kept);
  copy_few(moved, p, kept);
  if (mark.has_any(cache.foreign) || !cache.give(p, mark.magazine())) [[unlikely]] {
    return freed_elsewhere(moved, p, mark);
  }
  return moved;
}

// Requires p != nullptr and bytes != 0. Null, with nothing changed, when there is no memory.
inline void* reallocate(void* p, std::size_t bytes) noexcept {
  if (may_stay(p, bytes)) return p;
  void* const moved = resize_at_hand(p, bytes);
  return moved != nullptr ? moved : reallocate_slow(p, bytes);
}

std::size_t usable_bytes(const void* p) noexcept;

// Gives idle memory back to the system: the calling thread's, that of ended ones, and what is
// shared. Returns whether there was any.
bool trim() noexcept;
// The same before a request for so many bytes is refused, if they could be there. The caller holds
// no lock. A signal handler that returns must leave the magazines alone: it may have interrupted a
// call that is about to take a block from one.
enum class own_magazines : bool { stay, are_emptied };
bool make_room_for(std::size_t bytes, own_magazines own) noexcept;

}  // namespace mallard::inline v1::detail
