#include "mallard/detail/resources/by_base.hpp"

#include "mallard/detail/core/or_null.hpp"

namespace mallard::inline v1::detail {

void* allocate_or_null(std::pmr::memory_resource& from, std::size_t bytes,
                       std::size_t alignment) noexcept {
  return or_null([&] { return from.allocate(bytes, alignment); });
}

}  // namespace mallard::inline v1::detail
