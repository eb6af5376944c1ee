// Purpose: the verbs of a heap for the blocks of its array_space, with counts of how often they
// worked. mallard/heap.hpp explains them.
#pragma once

#include <cstddef>
#include <cstring>

#include "mallard/blocks.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/resources/array_space.hpp"

namespace mallard::inline v1::detail {

struct growth_counts {
  std::size_t expansions_tried = 0;
  std::size_t expansions_done = 0;
  std::size_t backward_tried = 0;
  std::size_t backward_done = 0;
};

class MALLARD_API growing_blocks : public array_space {
 public:
  using array_space::array_space;

  sized_block allocate_expandable(std::size_t minimum, std::size_t preferred,
                                  std::size_t alignment);
  std::size_t try_expand(void* p, std::size_t old, std::size_t minimum,
                         std::size_t preferred) noexcept;
  sized_block try_expand_backward(void* p, std::size_t old, std::size_t minimum,
                                  std::size_t preferred, std::size_t element) noexcept;
  std::size_t shrink(void* p, std::size_t old, std::size_t maximum, std::size_t preferred) noexcept;
  std::size_t shrinkable_to(void* p, std::size_t old, std::size_t maximum,
                            std::size_t preferred) const noexcept;

  // `remap` if no byte has to be copied; else null and 0.
  sized_block remap_without_copy(void* p, std::size_t old, std::size_t bytes) noexcept;

  growth_counts counts() const noexcept { return counts_; }

 private:
  growth_counts counts_;
};

// For a block that may not grow into all the bytes that it got.
inline void poison_beyond(sized_block block, std::size_t bytes) noexcept {
  poison(static_cast<std::byte*>(block.p) + bytes, block.bytes - bytes);
}

// The rest of `remap`.
template <class Heap>
sized_block remap_by_copy(Heap& heap, void* p, std::size_t old, std::size_t bytes,
                          std::size_t alignment) noexcept {
  const sized_block moved = heap.try_allocate_expandable(bytes, bytes, alignment);
  if (moved.p == nullptr) return moved;
  std::memcpy(moved.p, p, old);
  heap.deallocate_expandable(p);
  return moved;
}

}  // namespace mallard::inline v1::detail
