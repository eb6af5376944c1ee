// Purpose: the one object that a malloc's memory comes from: slices for slabs, spaces for large
// blocks, mappings for huge ones, and the limit on all of them.
#pragma once

#include <array>
#include <cstddef>

#include "mallard/detail/pages/memory_budget.hpp"
#include "mallard/detail/pages/slice_supply.hpp"
#include "malloc/huge_block.hpp"
#include "malloc/large_space.hpp"
#include "malloc/lock.hpp"

namespace mallard::inline v1::detail {

// For which memory huge pages are asked for.
enum class huge_pages : unsigned char {
  off,
  on,  // large blocks, and all that is made usable while much is in use
  all  // nearly all
};

class malloc_pages {
 public:
  memory_budget budget{memory_budget::by_use};  // its limit is set by `set_limit`
  slice_supply supply{budget};
  huge_blocks huge{budget};
  std::array<large_space, space_count> spaces{large_space{supply, budget, slice_mark::of_space(0)},
                                              large_space{supply, budget, slice_mark::of_space(1)},
                                              large_space{supply, budget, slice_mark::of_space(2)},
                                              large_space{supply, budget, slice_mark::of_space(3)}};

  constexpr malloc_pages() noexcept = default;

  large_space& space_of(slice_mark mark) noexcept { return spaces[mark.space_index()]; }

  // The most that may be taken from the system from now on.
  void set_limit(std::size_t bytes) noexcept { supply.set_limit(bytes); }
  // The most free memory that is kept for later, in all. What heaps keep goes with their next
  // calls.
  void set_most_kept(std::size_t bytes) noexcept;

  // For memory that is taken from now on. Slices are of huge pages only where the system gives
  // these to whoever asks: where it gives them to all, they come without.
  void set_huge_pages(huge_pages which) noexcept;

  // `decay` gives back half of what nobody needed for a second, `trim` all that is free; it returns
  // whether there was any.
  void decay() noexcept;
  bool trim() noexcept;

  // Before slabs take so many bytes from the system, a space gives the supply what it keeps.
  void reuse_kept(std::size_t bytes) noexcept;

  // All locks, in the order in which threads take them.
  static constexpr std::size_t lock_count = 2 * space_count + 1 + slice_supply::lock_count;
  futex_lock& lock_at(std::size_t i) noexcept;
};

// The pages of the functions called malloc.
extern constinit malloc_pages the_pages;

}  // namespace mallard::inline v1::detail
