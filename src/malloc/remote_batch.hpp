// Purpose: blocks that a thread frees of other heaps, linked for each of these until there are
// enough of them to be sent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "malloc/malloc_classes.hpp"
#include "malloc/remote_block.hpp"
#include "malloc/slice_mark.hpp"

namespace mallard::inline v1::detail {

// What the supply hands out for a heap.
inline constexpr std::size_t heap_bytes = 4 * slice_bytes;

struct remote_batch {
  malloc_heap* to;  // null: the batch is empty
  remote_block* first;
  remote_block* last;
  std::int32_t room;  // bytes

  // Of a block of the heap that the batch is for. False when the batch has to be sent.
  MALLARD_ALWAYS_INLINE bool add(void* p, std::size_t size_class) noexcept {
    auto* const block = static_cast<remote_block*>(p);
    block->set_next(first);
    first = block;
    room -= batch_weights[size_class];
    return room > 0;
  }
};

struct remote_batches {
  // Heaps that began one after the other have places of their own.
  static constexpr std::size_t count = 64;

  // The place of a batch for the heap; what is there may be for another one.
  MALLARD_ALWAYS_INLINE remote_batch& of(const malloc_heap* heap) noexcept {
    return places[address_of(heap) / heap_bytes % count];
  }

  std::array<remote_batch, count> places;
};

}  // namespace mallard::inline v1::detail
