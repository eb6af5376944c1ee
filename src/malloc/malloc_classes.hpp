// Purpose: the size classes as malloc uses them: requests with their canary rounded up to 16 bytes,
// a class by one look-up, and how many free blocks of a class a thread may have at hand.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/core/size_classes.hpp"
#include "mallard/detail/core/slab_layout.hpp"
#include "malloc/canary.hpp"
#include "malloc/region.hpp"

namespace mallard::inline v1::detail {

inline constexpr std::size_t malloc_alignment = 16;
inline constexpr unsigned malloc_class_count = extended_class_count;

inline constexpr std::size_t magazine_count = magazine_of(malloc_class_count);
static_assert(magazine_count <= slice_mark::most_magazines);

// Indexed by the block's bytes divided by 16, rounded up; has an entry for 0 bytes.
inline constexpr auto magazine_by_block = [] {
  std::array<std::uint8_t, largest_class_bytes / malloc_alignment + 1> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const unsigned size_class = class_of(std::max<std::size_t>(i, 1) * malloc_alignment);
    table[i] = static_cast<std::uint8_t>(magazine_of(size_class));
  }
  return table;
}();

// Requires the bytes of a block, at most largest_class_bytes; larger classes are computed.
MALLARD_ALWAYS_INLINE unsigned class_of_block(std::size_t bytes) noexcept {
  return magazine_by_block[(bytes + malloc_alignment - 1) / malloc_alignment] - 1u;
}

// By magazine: only what the hot paths look up.
inline constexpr auto block_bytes_by_magazine = [] {
  std::array<std::uint32_t, magazine_count> table{};
  for (unsigned c = 0; c < malloc_class_count; ++c) {
    table[magazine_of(c)] = static_cast<std::uint32_t>(class_bytes(c));
  }
  return table;
}();
MALLARD_ALWAYS_INLINE std::size_t block_bytes_of(std::size_t size_class) noexcept {
  return block_bytes_by_magazine[magazine_of(size_class)];
}

// Limits of requests; their blocks also have a canary.
inline constexpr std::size_t largest_class_request = largest_class_bytes - canary_bytes;
inline constexpr std::size_t largest_extended_request = largest_extended_bytes - canary_bytes;

// Requires bytes <= largest_class_request.
MALLARD_ALWAYS_INLINE unsigned malloc_class_of(std::size_t bytes) noexcept {
  return class_of_block(bytes + canary_bytes);
}

// The same for bytes <= largest_extended_request.
inline unsigned any_class_of(std::size_t bytes) noexcept {
  return bytes <= largest_class_request ? malloc_class_of(bytes)
                                        : computed_class(bytes + canary_bytes);
}

// The size that decides the class of an aligned request, with its canary: see `class_request`.
MALLARD_ALWAYS_INLINE std::size_t request_with_canary(std::size_t bytes,
                                                      std::size_t alignment) noexcept {
  std::size_t block = 0;
  const bool wraps = __builtin_add_overflow(bytes, canary_bytes, &block);
  return class_request(canary_bytes != 0 && wraps ? SIZE_MAX : block, alignment);
}

// Blocks of whole cache lines may stay with any thread. With a canary, a request of whole lines
// takes a block of more: there all from a line on may, though blocks of two threads can meet on
// one. Sent home, those of 64 bytes take 1.2 to 2.9 times as long (`mallard bench remote-free`).
constexpr bool stays_anywhere(unsigned size_class) noexcept {
  constexpr std::size_t cache_line_bytes = 64;
  const std::size_t bytes = class_bytes(size_class);
  return canary_bytes == 0 ? bytes % cache_line_bytes == 0 : bytes >= cache_line_bytes;
}

// The blocks in a magazine that has grown as far as it may.
constexpr std::size_t magazine_capacity(unsigned size_class) noexcept {
  const std::size_t bytes = class_bytes(size_class);
  return bytes <= 256     ? 128
         : bytes <= 1024  ? 32
         : bytes <= 4096  ? 16
         : bytes <= 16384 ? 4
         : bytes <= 65536 ? 2
                          : 1;
}

// The same by one look-up.
inline constexpr auto magazine_capacities = [] {
  std::array<std::uint8_t, malloc_class_count> table{};
  for (unsigned c = 0; c < malloc_class_count; ++c) {
    table[c] = static_cast<std::uint8_t>(magazine_capacity(c));
  }
  return table;
}();

// The blocks in a new one.
inline constexpr std::size_t small_capacity = 4;
inline std::size_t first_capacity(unsigned size_class) noexcept {
  return std::min<std::size_t>(small_capacity, magazine_capacities[size_class]);
}

// While samples are taken, blocks of the small classes leave the magazine in portions: stacks that
// are numbered after the magazines.
inline constexpr unsigned classes_with_portions = computed_class(4096) + 1;
constexpr std::size_t portion_of(std::size_t size_class) noexcept {
  return magazine_count + size_class;
}
inline constexpr std::size_t stack_count = portion_of(classes_with_portions);
static_assert(stack_count <= 256);
constexpr std::size_t portion_capacity(unsigned size_class) noexcept {
  return magazine_capacity(size_class) / 2;
}

// An idle thread keeps its magazines. Those of small blocks hold a third of a mebibyte when all are
// full. Those of larger ones may have room for so many bytes together, and one more, for which
// those of the largest give way.
inline constexpr unsigned first_budgeted_class = computed_class(1024) + 1;
inline constexpr unsigned first_evicted_class = computed_class(16384) + 1;
inline constexpr std::size_t magazine_budget_bytes = std::size_t{3} << 19;

// The first slot of each magazine, with its null slots below and above. The last entry is the sum.
inline constexpr auto magazine_begin = [] {
  std::array<std::uint16_t, malloc_class_count + 1> begin{};
  for (unsigned c = 0; c < malloc_class_count; ++c) {
    begin[c + 1] = static_cast<std::uint16_t>(begin[c] + magazine_capacity(c) + 2);
  }
  return begin;
}();
inline constexpr std::size_t magazine_slots = magazine_begin.back();
// The same of each portion, which needs no slot above.
inline constexpr auto portion_begin = [] {
  std::array<std::uint16_t, classes_with_portions + 1> begin{};
  for (unsigned c = 0; c < classes_with_portions; ++c) {
    begin[c + 1] = static_cast<std::uint16_t>(begin[c] + portion_capacity(c) + 1);
  }
  return begin;
}();

}  // namespace mallard::inline v1::detail
