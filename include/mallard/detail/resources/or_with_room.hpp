// Purpose: a second attempt where upstream refuses, with the memory that the resource has itself.
#pragma once

#include <new>

#include "mallard/detail/resources/thread_heaps.hpp"

namespace mallard::inline v1::detail {

// Returns what `take()` does. Where that throws std::bad_alloc, makes room and tries once more.
// `mine` as in `make_room`.
template <class Take>
auto or_with_room(thread_heaps& heaps, thread_heap* mine, Take&& take) {
  try {
    return take();
  } catch (const std::bad_alloc&) {
    if (!heaps.make_room(mine)) throw;
  }
  return take();
}

}  // namespace mallard::inline v1::detail
