// Purpose: all that a heap for one thread has: the pools of its classes, lone blocks and arrays.
// Where upstream refuses one of them, the others give back what they do not use.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/blocks.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/class_pools.hpp"
#include "mallard/detail/resources/growing_blocks.hpp"
#include "mallard/detail/resources/lone_blocks.hpp"

namespace mallard::inline v1::detail {

class MALLARD_API heap_pools : public growing_class_pools {
 public:
  heap_pools(std::pmr::memory_resource* upstream, std::size_t limit, bool ignores) noexcept;

  // As in growing_blocks. `allocate_large` makes a block that is not expected to grow, for which
  // the arrays have no room yet.
  sized_block allocate_expandable(std::size_t least, std::size_t wanted, std::size_t alignment);
  void* allocate_large(std::size_t bytes, std::size_t alignment);

  // Gives back all that is not in use. Returns the bytes.
  std::size_t trim() noexcept;
  bool make_room() noexcept;

  lone_blocks lones;
  growing_blocks arrays;
};

}  // namespace mallard::inline v1::detail
