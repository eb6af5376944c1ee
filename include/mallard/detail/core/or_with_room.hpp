// Purpose: a second attempt where upstream refuses, with the memory that the resource has itself.
#pragma once

namespace mallard::inline v1::detail {

// Returns what `take()` does. Where that throws, it tries once more if `make_room()` gave anything
// back.
template <class MakeRoom, class Take>
auto or_with_room(MakeRoom&& make_room, Take&& take) {
  try {
    return take();
  } catch (...) {
    if (!make_room()) throw;
  }
  return take();
}

}  // namespace mallard::inline v1::detail
