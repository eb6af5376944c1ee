// Purpose: the checks of the plain build: none.
#pragma once

#include <cstddef>

#include "mallard/detail/core/slab.hpp"
#include "mallard/detail/os/pages.hpp"
#include "malloc/region.hpp"

namespace mallard::inline v1::detail {

struct plain_checks {
  // Guards lie between large blocks and what follows them, and around what blocks must not reach.
  static constexpr bool has_guards = false;
  static constexpr std::size_t guard_bytes() noexcept { return 0; }
  // So many blocks without a size class have a mapping of their own, whatever their size.
  static constexpr std::size_t most_mapped_large_blocks = 0;
  // Whether a block's class is always that of the size it was asked for.
  static constexpr bool keeps_classes = false;

  // Whether the size that a caller states for a block makes a difference.
  static constexpr bool knows_sizes = false;
  struct any_size {};
  struct said_size {
    constexpr said_size(std::size_t, std::size_t) noexcept {}
  };
  static void said_alignment(const void*, std::size_t) noexcept {}

  // A block is about to be handed out.
  static void allocated(const void*) noexcept {}
  // The same for a block from a magazine.
  static void taken(void*) noexcept {}
  // A block comes back. If this is false, `refused` does the rest.
  static constexpr bool freeing(const void*) noexcept { return true; }
  template <class Size>
  static void refused(void*, Size) noexcept {}
  // Requires a block that `freeing` has let pass.
  template <class Size>
  static void freed_as(const void*, slice_mark, Size) noexcept {}
  // The same for the thread's own blocks. If this is false, `freed_oddly` does the rest.
  template <class Size>
  static constexpr bool freed_as_class(const void*, std::uintptr_t, Size) noexcept {
    return true;
  }
  template <class Size>
  static void freed_oddly(void*, std::uintptr_t, Size) noexcept {}
  // For lack of memory a block stays larger than it was last asked to be.
  static void kept_larger() noexcept {}
  // A caller asks about a block or lets it grow.
  static void in_use(const void*) noexcept {}

  // Free blocks of one slab have come into a magazine; the last one is to be handed out at once.
  static void refilled(void**, void**, unsigned) noexcept {}
  // A block has left its slab without a magazine.
  static void left_slab(void*, unsigned) noexcept {}
  // Blocks that lie here may be gone although nobody has freed them.
  static void forget_blocks(const void*, std::size_t) noexcept {}
  // A slab's header is about to be used.
  static constexpr bool checks_slabs = false;
  static void using_slab(const slab&, const slab_set*, unsigned) noexcept {}

  // A slab's header names another owner, though its mark may still name this heap.
  static void not_owning(const slab&, slice_mark, const slab_set*) noexcept {}

  // The link of a free block on its way to another heap.
  static void* link(const void*, void* next) noexcept { return next; }
  static void* linked(const void*, void* link) noexcept { return link; }

  // Whether what was in a freed block must go.
  static constexpr bool must_clear() noexcept { return false; }

  // Options that the plain build has not.
  static bool set_zero_on_free(const char*) noexcept { return false; }
  static bool set_wrong_sizes(const char*) noexcept { return false; }

  // Whether there can be blocks at the address at all.
  static constexpr bool covers(const void*) noexcept { return true; }

  // A region was mapped and is usable up to `end`, then more of it is, then it goes. False when
  // there is no memory for the records about it.
  static constexpr bool add_region(region&, std::size_t) noexcept { return true; }
  static constexpr bool extend_region(region&, std::size_t, std::size_t) noexcept { return true; }
  static void remove_region(region&) noexcept {}
  static void purged(const void*, std::size_t) noexcept {}
  static void add_huge(const void*, const region&) noexcept {}
  static void using_huge(const void*, const region&) noexcept {}
  static void remove_huge(const void*) noexcept {}
  // The same when a heap goes with all that is in it. False when the block is being freed already.
  static constexpr bool remove_huge_of_heap(const void*) noexcept { return true; }
};

}  // namespace mallard::inline v1::detail
