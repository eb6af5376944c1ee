#include "malloc/usage.hpp"

#include <algorithm>

#include "malloc/malloc_heaps.hpp"
#include "malloc/slow_path.hpp"
#include "malloc/user_heap.hpp"

namespace mallard::inline v1::detail {
namespace {

// The owner writes these meanwhile, without synchronisation: the result is some recent value.
__attribute__((no_sanitize("thread"))) std::size_t taken_of(const slab& s) noexcept {
  return std::size_t{__atomic_load_n(&s.floor, __ATOMIC_RELAXED)} +
         __atomic_load_n(&s.countdown, __ATOMIC_RELAXED);
}

}  // namespace

// Counts by the marks of slices. A slab's memory stays where it is as long as the supply cannot
// take it back, whatever the slab's owner does.
class_usages usage_of_slabs() noexcept {
  class_usages out{};
  the_pages.supply.for_each_region([&](region& r) {
    for (std::size_t i = region_header_slices; i < slices_per_region;) {
      const slice_mark mark = r.mark_at(i);
      if (!mark.is_in_slab()) {
        ++i;
        continue;
      }
      const std::size_t size_class = mark.size_class();
      const slab_layout& layout = class_layouts[size_class];
      class_usage& u = out[size_class];
      ++u.slabs;
      u.slots += layout.capacity();
      u.taken += taken_of(*header_of(r.slice(i)));
      i += layout.slab_bytes / slice_bytes;
    }
  });
  return out;
}

malloc_usage usage_of_malloc(bool with_classes) noexcept {
  malloc_usage out;
  out.is_interrupted = slow_path::is_inside();
  if (out.is_interrupted) return out;
  {
    const holding hold(the_heaps.lock());
    for (const malloc_heap* h = the_heaps.first(); h != nullptr; h = h->next) {
      ++out.heaps;
      if (h->idle.load(std::memory_order_relaxed)) ++out.idle_heaps;
    }
  }
  for (std::size_t i = 0; i < space_count; ++i) out.spaces[i] = the_pages.spaces[i].usage();
  const user_heap::usage_of_all of_users = user_heap::usage_of_heaps();
  out.spaces[space_count] = of_users.spaces;
  out.taken_bytes = of_users.taken_bytes;
  out.at_hand_bytes = of_users.at_hand_bytes;
  out.huge = the_pages.huge.usage();
  if (with_classes) out.classes = usage_of_slabs();
  for (malloc_heap* h = the_heaps.first(); h != nullptr; h = h->next) {
    out.at_hand_bytes += h->at_hand_bytes();
    out.taken_bytes += h->taken_of_slabs();
  }
  out.supply = the_pages.supply.usage();
  return out;
}

std::size_t malloc_usage::slab_bytes() const noexcept {
  return taken_bytes - std::min(taken_bytes, at_hand_bytes);
}

std::size_t malloc_usage::slab_blocks() const noexcept {
  std::size_t blocks = 0;
  for (const class_usage& u : classes) blocks += u.taken;
  return blocks;
}

std::size_t malloc_usage::space_bytes() const noexcept {
  std::size_t bytes = 0;
  for (const space_usage& u : spaces) bytes += u.in_use_bytes;
  return bytes;
}

std::size_t malloc_usage::space_blocks() const noexcept {
  std::size_t blocks = 0;
  for (const space_usage& u : spaces) blocks += u.blocks;
  return blocks;
}

std::size_t malloc_usage::in_use_bytes() const noexcept {
  return std::min(slab_bytes() + space_bytes() + huge.mapped_bytes, held_bytes());
}

}  // namespace mallard::inline v1::detail
