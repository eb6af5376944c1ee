// Purpose: tells what a slice of a region is: whose slab of which size class, or part of what else.
//
// A mark is one word. For a slab of a thread's heap it is the heap's address, with the size class
// in the low bits that the alignment of heaps leaves free. So one load and one exclusive or tell a
// hot path whether a block is its thread's own, and its class. For a user heap it is the same with
// the highest bit set, which no address has; what is in no slab has a number above all classes
// there. The other marks are smaller than any address.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail {

class malloc_heap;
class user_heap;

inline constexpr std::size_t heap_alignment = 64;

enum class slice_kind {
  none,                // free, or ours
  huge,                // of a huge block: a region of its own
  space,               // of a `large_space`
  slab,                // of a slab of a thread's heap
  slab_of_user_heap,   // of a slab of a user heap
  space_of_user_heap,  // of the large space of such a heap
  huge_of_user_heap,   // of a huge block of such a heap
  guarded,             // of the pages of guarded blocks
};

class slice_mark {
 public:
  // The mark of nobody's slices.
  constexpr slice_mark() noexcept = default;
  // The mark as regions keep it.
  explicit constexpr slice_mark(std::uintptr_t word) noexcept : word_(word) {}
  constexpr std::uintptr_t word() const noexcept { return word_; }

  static constexpr slice_mark huge() noexcept { return slice_mark(huge_word); }
  static constexpr slice_mark of_space(std::size_t index) noexcept {
    return slice_mark(first_space_word + index);
  }
  static constexpr slice_mark guarded() noexcept { return slice_mark(guarded_word); }
  static slice_mark of_slab(const malloc_heap* heap, std::size_t size_class) noexcept {
    return slice_mark(reinterpret_cast<std::uintptr_t>(heap) | size_class);
  }
  static slice_mark of_user_heap_slab(const user_heap* heap, std::size_t size_class) noexcept {
    return slice_mark(reinterpret_cast<std::uintptr_t>(heap) | size_class | user_heap_bit);
  }
  static slice_mark of_user_heap_space(const user_heap* heap) noexcept {
    return of_user_heap_slab(heap, number_of_space);
  }
  static slice_mark huge_of_user_heap(const user_heap* heap) noexcept {
    return of_user_heap_slab(heap, number_of_huge);
  }
  // The mark of a slab of some thread's heap.
  static constexpr slice_mark of_any_slab(std::size_t size_class) noexcept {
    return slice_mark(heap_alignment | size_class);
  }

  // The kind that hot paths ask for.
  MALLARD_ALWAYS_INLINE constexpr bool is_slab() const noexcept {
    return static_cast<std::intptr_t>(word_) >= static_cast<std::intptr_t>(heap_alignment);
  }

  constexpr slice_kind kind() const noexcept {
    if (is_slab()) return slice_kind::slab;
    if (is_of_user_heap()) {
      const std::size_t number = word_ % heap_alignment;
      return number == number_of_huge    ? slice_kind::huge_of_user_heap
             : number == number_of_space ? slice_kind::space_of_user_heap
                                         : slice_kind::slab_of_user_heap;
    }
    if (word_ == guarded_word) return slice_kind::guarded;
    if (word_ >= first_space_word) return slice_kind::space;
    return word_ == huge_word ? slice_kind::huge : slice_kind::none;
  }

  constexpr bool is_of_user_heap() const noexcept { return (word_ & user_heap_bit) != 0; }
  // Huge blocks of either kind.
  constexpr bool is_huge() const noexcept {
    return word_ == huge_word || kind() == slice_kind::huge_of_user_heap;
  }
  constexpr bool is_in_space() const noexcept {
    return kind() == slice_kind::space || kind() == slice_kind::space_of_user_heap;
  }

  // Require a slab of a thread's heap.
  malloc_heap* heap() const noexcept {
    return reinterpret_cast<malloc_heap*>(word_ & ~(heap_alignment - 1));
  }
  constexpr std::size_t size_class() const noexcept { return word_ % heap_alignment; }
  // Requires a mark of a user heap.
  user_heap* heap_of_user() const noexcept {
    return reinterpret_cast<user_heap*>(word_ & ~(user_heap_bit | (heap_alignment - 1)));
  }
  // Requires a slab of a user heap.
  constexpr unsigned user_heap_size_class() const noexcept {
    return static_cast<unsigned>(word_ % heap_alignment);
  }
  // Requires a space.
  constexpr std::size_t space_index() const noexcept { return word_ - first_space_word; }

  // The size class if this is a slab of the heap whose slabs of class 0 are marked `heap`; else at
  // least `heap_alignment`.
  MALLARD_ALWAYS_INLINE constexpr std::uintptr_t class_within(slice_mark heap) const noexcept {
    return word_ ^ heap.word_;
  }
  // The mark for which `class_within(heap)` was `difference`.
  static constexpr slice_mark from_difference(std::uintptr_t difference, slice_mark heap) noexcept {
    return slice_mark(difference ^ heap.word_);
  }
  // No slice has this mark: every difference to it is large.
  static constexpr slice_mark of_no_heap() noexcept { return slice_mark(~std::uintptr_t{0}); }

  friend constexpr bool operator==(slice_mark, slice_mark) noexcept = default;

  static constexpr std::size_t most_spaces = 4;
  static constexpr std::size_t most_classes = heap_alignment - 2;

 private:
  static constexpr std::uintptr_t huge_word = 1;
  static constexpr std::uintptr_t first_space_word = 2;
  static constexpr std::uintptr_t guarded_word = first_space_word + most_spaces;
  static_assert(guarded_word < heap_alignment);
  static constexpr std::uintptr_t user_heap_bit = ~(~std::uintptr_t{0} >> 1);
  static constexpr std::uintptr_t number_of_space = most_classes;
  static constexpr std::uintptr_t number_of_huge = most_classes + 1;

  std::uintptr_t word_ = 0;
};

}  // namespace mallard::inline v1::detail
