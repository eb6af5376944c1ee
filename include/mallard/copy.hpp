// Purpose: copies strings and ranges of plain values into a resource's memory.
//
//   mallard::monotonic_resource arena;
//   std::string_view name = mallard::copy_string(arena, std::string("Ada"));  // ends with a 0
//   std::span<int> numbers = mallard::copy_span(arena, std::vector{1, 2, 3});
//   numbers[0] = 7;
//   arena.release();  // frees both
//
// Complexity: O(bytes). Thread-safety: as the resource.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "mallard/allocator.hpp"
#include "mallard/detail/failure.hpp"

namespace mallard::inline v1 {

// Effects: copies `text` and appends a 0. Freed with the resource's memory, or as a block of
// `(copy.size() + 1) * sizeof(Char)` bytes, aligned to `alignof(Char)`.
// Errors: what the resource throws.
template <bindable_resource R, class Char, class Traits>
[[nodiscard]] std::basic_string_view<Char, Traits> copy_string(
    R& into, std::basic_string_view<Char, Traits> text) {
  auto* const copy =
      static_cast<Char*>(into.allocate((text.size() + 1) * sizeof(Char), alignof(Char)));
  Traits::copy(copy, text.data(), text.size());
  copy[text.size()] = Char();
  return {copy, text.size()};
}

// As above, for strings, literals and all else that converts to a view of chars.
template <bindable_resource R>
[[nodiscard]] std::string_view copy_string(R& into, std::string_view text) {
  return copy_string<R, char, std::char_traits<char>>(into, text);
}

// Effects: copies the values of a contiguous range; none is ever destroyed. Freed with the
// resource's memory, or by `deallocate(copy.data(), copy.size_bytes(), alignof(T))`.
// Errors: what the resource throws.
template <bindable_resource R, class Range>
[[nodiscard]] auto copy_span(R& into, const Range& values) {
  const std::span from(values);
  using value = std::remove_const_t<typename decltype(from)::element_type>;
  static_assert(std::is_trivially_copyable_v<value> && std::is_trivially_destructible_v<value>,
                "only plain values are copied as bytes");
  auto* const copy = static_cast<value*>(into.allocate(from.size_bytes(), alignof(value)));
  if (!from.empty()) std::memcpy(copy, from.data(), from.size_bytes());
  return std::span<value>(copy, from.size());
}

}  // namespace mallard::inline v1
