// Purpose: copies of strings and of ranges of plain values into the memory of a resource.
//
//   mallard::monotonic_resource arena;
//   std::string_view name = mallard::copy_string(arena, std::string("Ada"));  // a 0 is behind it
//   std::span<int> numbers = mallard::copy_span(arena, std::vector{1, 2, 3});
//   numbers[0] = 7;
//   arena.release();  // both are gone
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

// Effects: copies `text` and puts a 0 behind it. The bytes come back with the resource's memory, or
// by `deallocate(copy.data(), copy.size() + 1, alignof(Char))`.
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

// The same of what converts to a view of chars: strings and literals.
template <bindable_resource R>
[[nodiscard]] std::string_view copy_string(R& into, std::string_view text) {
  return copy_string<R, char, std::char_traits<char>>(into, text);
}

// Effects: copies the values of a contiguous range; none is ever destroyed. The bytes come back
// with the resource's memory, or by `deallocate(copy.data(), copy.size_bytes(), alignof(T))`.
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
