#include "mallard/failure_callback.hpp"

#include <new>

#include "mallard/detail/core/or_null.hpp"
#include "mallard/detail/resources/allocate_from.hpp"

namespace mallard::inline v1 {

void* failure_callback_resource::allocate(std::size_t bytes, std::size_t alignment) {
  for (;;) {
    try {
      return detail::allocate_from(*upstream_, bytes, alignment);
    } catch (const std::bad_alloc&) {
      if (!on_failure_(bytes, alignment)) throw;
    }
  }
}

void* failure_callback_resource::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
  return detail::or_null([&] { return allocate(bytes, alignment); });
}

}  // namespace mallard::inline v1
