// Purpose: tells what a slice of a region is: whose slab of which size class, or part of what else.
//
// A mark is one word. One load and one test tell a hot path whether a block may stay with its
// thread: the thread knows the bits that no mark of such a block has (`foreign_to`). For that, the
// number of a slab's heap is in the mark twice, as it is and with all bits turned, so that a mark
// of another heap has at least one bit that this one's has not. Blocks of whole cache lines may
// stay with any thread. Their marks have neither, so that the same test lets them pass: a branch of
// its own would be mispredicted for blocks that wander between threads. Another copy of the number
// tells the heap in any case.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mallard/detail/config.hpp"
#include "malloc/heap_numbers.hpp"

namespace mallard::inline v1::detail {

class malloc_heap;
class user_heap;

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

// A thread's magazines are those of the size classes, behind one that has no block and no room.
constexpr std::size_t magazine_of(std::size_t size_class) noexcept {
  return size_class + 1;
}

class slice_mark {
 public:
  // The mark of nobody's slices. It has no bit, so it passes every test as that of a block of no
  // size class, for which no magazine has room.
  constexpr slice_mark() noexcept = default;
  // The mark as regions keep it.
  explicit constexpr slice_mark(std::uintptr_t word) noexcept : word_(word) {}
  constexpr std::uintptr_t word() const noexcept { return word_; }

  static constexpr slice_mark huge() noexcept { return slice_mark(in_no_slab | huge_part); }
  static constexpr slice_mark guarded() noexcept { return slice_mark(in_no_slab | guarded_part); }
  static constexpr slice_mark of_space(std::size_t index) noexcept {
    return slice_mark(in_no_slab | (first_space_part + index));
  }
  // `stays_anywhere`: its blocks may stay with any thread.
  static constexpr slice_mark of_slab(std::size_t heap, std::size_t size_class,
                                      bool stays_anywhere) noexcept {
    return slice_mark(magazine_of(size_class) | heap << heap_shift |
                      (stays_anywhere ? everybodys : owner_bits(heap)));
  }
  static constexpr slice_mark of_user_heap_slab(std::size_t heap, std::size_t size_class) noexcept {
    return slice_mark(magazine_of(size_class) | heap << heap_shift | owner_bits(heap) |
                      of_user_heap);
  }
  static constexpr slice_mark of_user_heap_space(std::size_t heap) noexcept {
    return slice_mark(in_no_slab | of_user_heap | first_space_part | heap << heap_shift);
  }
  static constexpr slice_mark huge_of_user_heap(std::size_t heap) noexcept {
    return slice_mark(in_no_slab | of_user_heap | huge_part | heap << heap_shift);
  }
  // The mark of a slab of some thread's heap.
  static constexpr slice_mark of_any_slab(std::size_t size_class) noexcept {
    return slice_mark(magazine_of(size_class) | everybodys);
  }

  // The bits of marks of blocks that must not stay with a thread whose heap has that number; in a
  // scope, only the heap's own blocks may stay. A thread without a heap keeps none.
  static constexpr std::uintptr_t foreign_to(std::size_t heap, bool in_scope) noexcept {
    const std::uintptr_t others = owner_bits(heap ^ (heap_numbers::most - 1));
    return in_no_slab | others | (in_scope ? everybodys : 0);
  }
  static constexpr std::uintptr_t foreign_to_all = ~std::uintptr_t{0};
  MALLARD_ALWAYS_INLINE bool has_any(const std::uintptr_t& bits) const noexcept {
#ifdef __x86_64__
    bool has = false;  // GCC would copy the word and change the copy
    asm("testq %2, %1" : "=@ccnz"(has) : "m"(bits), "r"(word_));
    return has;
#else
    return (word_ & bits) != 0;
#endif
  }

  // The kind that hot paths ask for: a slab of a thread's heap. True for nobody's slices, too, of
  // which `size_class` tells that there is no block.
  MALLARD_ALWAYS_INLINE constexpr bool may_be_slab() const noexcept {
    return (word_ & (in_no_slab | of_user_heap)) == 0;
  }
  constexpr bool is_slab() const noexcept { return may_be_slab() && word_ != 0; }
  // A slab of either kind of heap.
  constexpr bool is_in_slab() const noexcept { return word_ != 0 && (word_ & in_no_slab) == 0; }

  constexpr slice_kind kind() const noexcept {
    if (is_slab()) return slice_kind::slab;
    if (word_ == 0) return slice_kind::none;
    if (is_in_slab()) return slice_kind::slab_of_user_heap;
    const bool is_of_program = is_of_user_heap();
    switch (word_ % part_end) {
      case huge_part:
        return is_of_program ? slice_kind::huge_of_user_heap : slice_kind::huge;
      case guarded_part:
        return slice_kind::guarded;
      default:
        return is_of_program ? slice_kind::space_of_user_heap : slice_kind::space;
    }
  }

  constexpr bool is_of_user_heap() const noexcept { return (word_ & of_user_heap) != 0; }
  // Huge blocks of either kind.
  constexpr bool is_huge() const noexcept {
    return (word_ & in_no_slab) != 0 && word_ % part_end == huge_part;
  }
  constexpr bool is_in_space() const noexcept {
    return kind() == slice_kind::space || kind() == slice_kind::space_of_user_heap;
  }

  // Require a slab of a thread's heap.
  malloc_heap* heap() const noexcept {
    return static_cast<malloc_heap*>(the_heap_numbers.heap_of(word_ >> heap_shift));
  }
  // Requires a slab of either kind of heap. For nobody's slices it is the number before 0.
  MALLARD_ALWAYS_INLINE constexpr std::size_t size_class() const noexcept { return magazine() - 1; }
  // Where a thread has blocks of the class at hand; for nobody's slices, the one without room.
  MALLARD_ALWAYS_INLINE constexpr std::size_t magazine() const noexcept { return word_ % part_end; }
  // Requires a mark of a user heap.
  user_heap* heap_of_user() const noexcept {
    return static_cast<user_heap*>(the_heap_numbers.heap_of(word_ >> heap_shift));
  }
  // Requires a space.
  constexpr std::size_t space_index() const noexcept { return word_ % part_end - first_space_part; }

  friend constexpr bool operator==(slice_mark, slice_mark) noexcept = default;

  static constexpr std::size_t most_spaces = 4;
  static constexpr std::size_t most_magazines = 256;

 private:
  // From the lowest bit: a magazine, or a part of something else; three flags; the owner's
  // number, and that turned; the heap's number.
  static constexpr std::uintptr_t part_end = most_magazines;
  static constexpr std::uintptr_t huge_part = 1;
  static constexpr std::uintptr_t guarded_part = 2;
  static constexpr std::uintptr_t first_space_part = 3;
  static constexpr std::uintptr_t in_no_slab = part_end;
  static constexpr std::uintptr_t of_user_heap = part_end << 1;
  static constexpr std::uintptr_t everybodys = part_end << 2;
  static constexpr unsigned owner_shift = 11;
  static constexpr unsigned turned_shift = owner_shift + heap_numbers::bits;
  static constexpr unsigned heap_shift = turned_shift + heap_numbers::bits;
  static_assert(everybodys << 1 == std::uintptr_t{1} << owner_shift);
  static_assert(heap_shift + heap_numbers::bits <= 64);

  static constexpr std::uintptr_t owner_bits(std::size_t heap) noexcept {
    return heap << owner_shift | (heap ^ (heap_numbers::most - 1)) << turned_shift;
  }

  std::uintptr_t word_ = 0;
};

}  // namespace mallard::inline v1::detail
