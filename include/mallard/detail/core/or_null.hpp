// Purpose: the same call for who wants a null pointer instead of an exception.
#pragma once

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail {

// Returns what `make()` does; where that throws, null, or a block without bytes.
template <class Make>
MALLARD_ALWAYS_INLINE auto or_null(Make make) noexcept -> decltype(make()) {
  try {
    return make();
  } catch (...) {
    return {};
  }
}

}  // namespace mallard::inline v1::detail
