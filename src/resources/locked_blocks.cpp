#include "mallard/detail/resources/locked_blocks.hpp"

namespace mallard::inline v1::detail {

sized_block locked_blocks::allocate_expandable(std::size_t minimum, std::size_t preferred,
                                               std::size_t alignment) {
  try {
    return allocate(larger(minimum, preferred), alignment, true);
  } catch (...) {
    if (preferred <= minimum) throw;
    return allocate(minimum, alignment, true);
  }
}

}  // namespace mallard::inline v1::detail
