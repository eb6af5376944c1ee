// Purpose: an extent_tree with lists of small blocks in front of it: a pair of calls costs some ten
// instructions where the tree takes hundreds.
//
// A block of up to 64 granules (1 KiB) that is given back waits in a list of its size, the last one
// first, with the link in its own memory. The next block of that size is taken from there. When the
// tree has no room, all that waits is joined into it and it is asked again. The same happens when a
// 32nd of the range waits, because blocks that stay unjoined split the range: at random sizes it
// then holds 97 % or more of what a tree without lists holds. A block is joined at most once for
// each time that it is given back, as without lists.
//
// Slabs would be as fast. But a slab belongs to one size: 4 KiB of static storage would hold one
// slab or none, and a few sizes would use it up. With lists all storage is for blocks of any size,
// and a block still has no header. Not thread-safe.
#pragma once

#include <cstddef>
#include <new>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/memory/extent_tree.hpp"

namespace mallard::inline v1::detail {

class MALLARD_API quick_extents {
 public:
  constexpr quick_extents() noexcept = default;

  // As the tree's; the lists become empty.
  void start(std::byte* base, std::size_t limit_bytes) noexcept;
  std::size_t granule() const noexcept { return tree_.granule(); }

  // Null when there is no room. `bytes` is not 0, `alignment` a power of two.
  MALLARD_ALWAYS_INLINE void* take(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t list = list_of(bytes);
    if (list < list_count && lists_[list] != nullptr &&
        (address_of(lists_[list]) & (alignment - 1)) == 0) [[likely]] {
      waiting* const block = lists_[list];
      unpoison(block, sizeof(waiting));
      lists_[list] = block->next;
      waiting_bytes_ -= (list + 1) << tree_.granule_shift();
      unpoison(block, bytes);
      return block;
    }
    return take_of_tree(bytes, alignment);
  }
  // A block of `take`; `bytes` as there.
  MALLARD_ALWAYS_INLINE void give(void* p, std::size_t bytes) noexcept {
    const std::size_t list = list_of(bytes);
    if (list >= list_count) return tree_.give(p, bytes);
    const std::size_t rounded = (list + 1) << tree_.granule_shift();
    unpoison(p, sizeof(waiting));
    lists_[list] = ::new (p) waiting{lists_[list]};
    waiting_bytes_ += rounded;
    poison(p, rounded);
    if (waiting_bytes_ > most_waiting_) join();
  }
  // Adds new memory of the range.
  void give_new(void* p, std::size_t bytes) noexcept { tree_.give(p, bytes); }

  // Joins all that waits into the tree. Returns whether anything did.
  bool join() noexcept;

  // Call `join` before these two: the tree knows nothing of what waits.
  std::byte* start_of_last(std::byte* end) const noexcept { return tree_.start_of_last(end); }
  template <class Visit>
  void for_each_free(Visit&& visit) const noexcept {
    tree_.for_each_free(visit);
  }

  std::size_t free_bytes() const noexcept { return tree_.free_bytes() + waiting_bytes_; }

 private:
  static constexpr std::size_t list_count = 64;  // of 1, 2, 3... granules
  struct waiting {
    waiting* next;
  };

  std::size_t list_of(std::size_t bytes) const noexcept {
    return (bytes - 1) >> tree_.granule_shift();
  }
  void* take_of_tree(std::size_t bytes, std::size_t alignment) noexcept;

  extent_tree tree_;
  std::size_t waiting_bytes_ = 0;
  std::size_t most_waiting_ = 0;
  waiting* lists_[list_count] = {};
};

}  // namespace mallard::inline v1::detail
