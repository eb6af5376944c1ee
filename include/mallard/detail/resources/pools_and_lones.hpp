// Purpose: large classes of a resource for one thread, from its slabs or as lone blocks.
#pragma once

#include <cstddef>

#include "mallard/detail/config.hpp"
#include "mallard/detail/core/class_pools.hpp"
#include "mallard/detail/resources/lone_blocks.hpp"

namespace mallard::inline v1::detail {

// The pools and lone blocks of a resource for one thread, for one request, as
// `allocate_beyond_table` and its counterpart use them.
struct MALLARD_API pools_and_lones {
  growing_class_pools& pools;
  lone_blocks& lones;
  std::size_t alignment;
  std::size_t empty_slabs_kept;

  void* take_small(size_granule granule) const { return pools.take_small(granule); }
  void* take_large(std::size_t request) const;
  void give_small(void* p, size_granule granule) const noexcept { pools.give_small(p, granule); }
  void give_large(void* p, std::size_t request) const noexcept;
  bool owns(const void* p, unsigned size_class) const noexcept;

 private:
  void* try_lone(unsigned size_class, std::size_t request) const noexcept;
  void* refill_and_take(unsigned size_class, std::size_t request) const;
};

}  // namespace mallard::inline v1::detail
