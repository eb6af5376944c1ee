// Purpose: the only table of size classes: steps of 8 bytes up to 64, of 16 up to 128, then four
// classes per doubling.
//
// A block of class c is aligned to the largest power of two that divides its size, because slots
// start at multiples of the size in an aligned slab. So it is enough to round a request up to a
// multiple of its alignment before its class is chosen.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/core/annotate.hpp"

namespace mallard::inline v1::detail {

inline constexpr std::size_t smallest_class_bytes = 16;
inline constexpr std::size_t largest_class_bytes = 32 * 1024;
inline constexpr std::size_t largest_extended_bytes = 256 * 1024;  // malloc has classes up to here
inline constexpr std::size_t table_limit_bytes = 1024;             // sizes up to here are looked up
inline constexpr unsigned classes_to_64 = 7;                       // 16, 24, 32, … 64
inline constexpr unsigned classes_to_128 = 11;                     // 80, 96, 112, 128
inline constexpr unsigned classes_per_doubling = 4;

// The class of a size above 128 bytes, computed from the position of its highest bit.
constexpr unsigned computed_class(std::size_t bytes) noexcept {
  const auto high = static_cast<unsigned>(std::bit_width(bytes - 1)) - 1;  // 7 for 129 … 256
  const auto quarter = static_cast<unsigned>((bytes - 1) >> (high - 2)) & 3;
  return classes_to_128 + (high - 7) * classes_per_doubling + quarter;
}

inline constexpr unsigned class_count = computed_class(largest_class_bytes) + 1;
inline constexpr unsigned extended_class_count = computed_class(largest_extended_bytes) + 1;

constexpr std::size_t class_bytes(unsigned size_class) noexcept {
  if (size_class < classes_to_64) return smallest_class_bytes + 8 * size_class;
  if (size_class < classes_to_128) return 64 + 16 * (size_class - classes_to_64 + 1);
  const unsigned above = size_class - classes_to_128;
  const unsigned shift = above / classes_per_doubling;
  return (std::size_t{128} << shift) + (std::size_t{32} << shift) * (above % 4 + 1);
}

// Indexed by (bytes - 1) / 8; one cache line per 512 bytes of size.
inline constexpr auto class_by_granule = [] {
  std::array<std::uint8_t, table_limit_bytes / 8> table{};
  for (std::size_t granule = 0; granule < table.size(); ++granule) {
    const std::size_t bytes = (granule + 1) * 8;
    table[granule] = static_cast<std::uint8_t>(bytes <= smallest_class_bytes ? 0
                                               : bytes <= 64  ? (bytes - smallest_class_bytes) / 8
                                               : bytes <= 128 ? classes_to_64 + (bytes - 65) / 16
                                                              : computed_class(bytes));
  }
  return table;
}();

inline constexpr unsigned table_class_count = class_by_granule.back() + 1u;

// A size in the table, as the index of its class and of everything else stored per size.
struct size_granule {
  std::size_t last;  // the size less 1

  constexpr bool is_looked_up() const noexcept { return last < table_limit_bytes; }
  constexpr std::size_t index() const noexcept { return last / 8; }
  constexpr operator unsigned() const noexcept { return class_by_granule[index()]; }
};

// Requires 1 <= bytes <= largest_class_bytes.
constexpr unsigned class_of(std::size_t bytes) noexcept {
  return bytes <= table_limit_bytes ? class_by_granule[(bytes - 1) / 8] : computed_class(bytes);
}

// The size that decides the class of a request. An empty request and a sum that wraps become 0:
// compare the result less 1 with a limit, and they fail like sizes that are too large.
constexpr std::size_t class_request(std::size_t bytes, std::size_t alignment) noexcept {
  return round_up(bytes, alignment);
}

// The same with room for a redzone.
constexpr std::size_t block_request(std::size_t bytes, std::size_t alignment) noexcept {
  if constexpr (redzone_bytes == 0) return class_request(bytes, alignment);
  if (bytes - 1 >= ~std::size_t{0} - redzone_bytes) return 0;
  return class_request(bytes + redzone_bytes, alignment);
}

// The granule of a request, beyond the table when the request is too large. Alignments up to 8 need
// no rounding: most requests take this branch in place of the arithmetic.
constexpr size_granule granule_of(std::size_t bytes, std::size_t alignment) noexcept {
  std::size_t last = bytes - 1;
  if (redzone_bytes != 0 || alignment > 8) [[unlikely]] {
    last = block_request(bytes, alignment) - 1;
  }
  return {last};
}

// The largest request that a resource of all classes serves from slabs.
inline constexpr std::size_t largest_block_bytes = largest_class_bytes - redzone_bytes;

constexpr bool is_looked_up(std::size_t request) noexcept {
  return request - 1 < table_limit_bytes;
}
constexpr bool is_pooled(std::size_t request) noexcept {
  return request - 1 < largest_class_bytes;
}

}  // namespace mallard::inline v1::detail
