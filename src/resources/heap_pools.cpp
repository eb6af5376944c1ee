#include "mallard/detail/resources/heap_pools.hpp"

#include <algorithm>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/core/or_with_room.hpp"

namespace mallard::inline v1::detail {
namespace {

std::size_t trim_large(heap_pools& pools) noexcept {
  return pools.lones.trim(*pools.upstream_resource()) + pools.arrays.trim();
}

// A pool is growing here, so the slabs stay as they are until the rescue.
void* take_for_heap(void* context, std::size_t bytes, const slab_rescue& rescue) {
  try {
    return static_cast<std::pmr::memory_resource*>(context)->allocate(bytes, bytes);
  } catch (...) {
    if (trim_large(static_cast<heap_pools&>(rescue.set)) == 0) {
      if (!rescue()) throw;
      return nullptr;
    }
  }
  return resource_source.take(context, bytes, rescue);
}

void give_of_heap(void* context, void* p, std::size_t bytes) noexcept {
  resource_source.give(context, p, bytes);
}

bool pays_for_heap(void* context) noexcept {
  return resource_source.pays_for_memory(context);
}

constexpr slab_source heap_source{take_for_heap, give_of_heap, pays_for_heap};

}  // namespace

heap_pools::heap_pools(std::pmr::memory_resource* upstream, std::size_t limit,
                       bool ignores) noexcept
    : growing_class_pools(upstream, limit, ignores,
                          limit == keep_every_slab ? resource_source : heap_source),
      arrays(upstream) {}

std::size_t heap_pools::trim() noexcept {
  return growing_class_pools::trim() + trim_large(*this);
}

bool heap_pools::make_room() noexcept {
  const bool has_some = growing_class_pools::make_room();
  return (!keeps_every_slab() && trim_large(*this) != 0) || has_some;
}

// Arrays that have room call nobody else.
sized_block heap_pools::allocate_expandable(std::size_t least, std::size_t wanted,
                                            std::size_t alignment) {
  MALLARD_ASSERT(is_power_of_two(alignment));
  if (void* const p = arrays.try_allocate(std::max(least, wanted), alignment, true)) {
    return {p, growing_blocks::payload_bytes(p)};
  }
  return or_with_room([&] { return make_room(); },
                      [&] { return arrays.allocate_expandable(least, wanted, alignment); });
}

void* heap_pools::allocate_large(std::size_t bytes, std::size_t alignment) {
  return or_with_room([&] { return make_room(); },
                      [&] { return arrays.allocate(bytes, alignment, false); });
}

}  // namespace mallard::inline v1::detail
