#include "mallard/checks/default_resource_guard.hpp"

#include <limits>

#include "mallard/detail/resources/allocate_from.hpp"

namespace mallard::inline v1 {

void* forbidden_default::allocate(std::size_t bytes, std::size_t alignment) {
  test_report r;
  r.fault = test_fault::from_default;
  r.serial = std::numeric_limits<std::uint64_t>::max();
  r.bytes = r.expected_bytes = bytes;
  r.alignment = r.expected_alignment = alignment;
  r.found = call_stack::capture();
  on_fault_(r);
  return detail::allocate_from(*guard_.before(), bytes, alignment);
}

}  // namespace mallard::inline v1
