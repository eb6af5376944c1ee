// Purpose: hands a request to a resource that may not check its size.
//
// std::pmr::new_delete_resource() of libstdc++ 12 rounds a size up to its alignment without a check
// for overflow, so for SIZE_MAX it returns a block of no bytes. No object exceeds PTRDIFF_MAX.
#pragma once

#include <cstddef>
#include <limits>

#include "mallard/detail/config.hpp"
#include "mallard/detail/failure.hpp"

namespace mallard::inline v1::detail {

inline constexpr auto largest_object_bytes =
    static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());

// Errors: std::bad_alloc for sizes larger than any object; what `upstream` throws.
template <class R>
MALLARD_ALWAYS_INLINE void* allocate_from(R& upstream, std::size_t bytes, std::size_t alignment) {
  if (bytes > largest_object_bytes) [[unlikely]]
    fail_allocation();
  return upstream.allocate(bytes, alignment);
}

}  // namespace mallard::inline v1::detail
