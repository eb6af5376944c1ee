#include "mallard/failure_callback.hpp"

#include <new>

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

}  // namespace mallard::inline v1
