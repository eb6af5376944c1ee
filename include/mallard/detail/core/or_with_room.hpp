// Purpose: a second attempt where upstream refuses, with the memory that the resource has itself.
#pragma once

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail {

// Returns what `take()` does. Where that throws, it tries once more if `make_room()` gave anything
// back. The first is compiled into its caller, for where most requests pass.
template <class MakeRoom, class Take>
MALLARD_ALWAYS_INLINE auto or_with_room_inlined(MakeRoom&& make_room, Take&& take) {
  try {
    return take();
  } catch (...) {
    if (!make_room()) throw;
  }
  return take();
}
template <class MakeRoom, class Take>
auto or_with_room(MakeRoom&& make_room, Take&& take) {
  return or_with_room_inlined(make_room, take);
}

}  // namespace mallard::inline v1::detail
