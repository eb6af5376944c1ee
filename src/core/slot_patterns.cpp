#include <array>

#include "mallard/detail/core/slab_layout.hpp"

namespace mallard::inline v1::detail {

constexpr std::array<slot_patterns, extended_class_count> class_patterns = [] {
  std::array<slot_patterns, extended_class_count> table{};
  for (unsigned c = 0; c < extended_class_count; ++c) table[c] = make_patterns(class_layout(c));
  return table;
}();

}  // namespace mallard::inline v1::detail
