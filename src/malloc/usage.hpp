// Purpose: figures of the whole malloc, from what it counts anyway.
#pragma once

#include <array>
#include <cstddef>

#include "malloc/malloc_heap.hpp"
#include "malloc/malloc_pages.hpp"

namespace mallard::inline v1::detail {

struct class_usage {
  std::size_t slabs = 0;
  std::size_t slots = 0;
  std::size_t taken = 0;  // including those that lie ready for some thread
};
using class_usages = std::array<class_usage, malloc_class_count>;

struct malloc_usage {
  // A signal handler asks while its thread is in the middle of malloc, or ends the process there:
  // the figures are behind locks, so there are none.
  bool is_interrupted = false;
  supply_usage supply;
  std::array<space_usage, space_count + 1> spaces;
  huge_usage huge;
  class_usages classes;
  std::size_t heaps = 0;
  std::size_t idle_heaps = 0;     // without a thread
  std::size_t taken_bytes = 0;    // of slabs
  std::size_t at_hand_bytes = 0;  // of these, what lies ready for some thread

  std::size_t slab_bytes() const noexcept;
  std::size_t slab_blocks() const noexcept;
  std::size_t space_bytes() const noexcept;
  std::size_t space_blocks() const noexcept;
  std::size_t in_use_bytes() const noexcept;
  // From the system: includes what is around blocks and what is free, not what was given back.
  std::size_t held_bytes() const noexcept {
    return supply.in_use_bytes + huge.mapped_bytes + free_bytes();
  }
  std::size_t free_bytes() const noexcept { return supply.dirty_bytes + huge.kept_bytes; }
};

// Other threads go on meanwhile: the figures are not all of one moment. Without the `classes`,
// which need a walk over all slabs, only counters are read.
malloc_usage usage_of_malloc(bool with_classes = true) noexcept;

// Usage of the slabs of all heaps, including those that a program has made.
class_usages usage_of_slabs() noexcept;

}  // namespace mallard::inline v1::detail
