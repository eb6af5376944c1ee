// Purpose: where the slots of a slab lie, derived only from the block size and the slab size.
//
// A slab's size is a power of two, and it is aligned to it. It holds a header and a bitmap, unless
// these are elsewhere, then slots at every multiple of the block size. The bitmap has one bit per
// granule: the largest power of two not above the block size, or a 64th of the slab if that is
// smaller, so that a bitmap word always has 64 granules. A slot is named by the granule in which it
// starts, so freeing needs shifts and no division.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/size_classes.hpp"
#include "mallard/detail/core/slab_home.hpp"

namespace mallard::inline v1::detail {

inline constexpr std::size_t slab_header_bytes = 56;  // the bitmap begins behind it

// The slots of successive bitmap words repeat with at most this period.
inline constexpr std::size_t longest_pattern = 15;

// The part of a layout that the hot paths need.
struct slot_step {
  std::uint32_t block_bytes = 0;
  std::uint32_t reciprocal = 0;  // 2^32 / block_bytes, rounded up
  std::uint64_t word_bytes = 0;  // what a bitmap word covers

  // Requires a multiple of block_bytes below `word_bytes`: the rounded reciprocal is exact there.
  constexpr unsigned slots_in(std::size_t bytes) const noexcept {
    return static_cast<unsigned>(bytes * reciprocal >> 32);
  }
};

struct alignas(64) slab_layout {
  std::uint32_t block_bytes = 0;
  std::uint32_t slab_bytes = 0;
  std::uint8_t granule_shift = 0;
  std::uint8_t word_shift = 0;      // from a byte offset to the index of its bitmap word
  std::uint8_t pattern_period = 0;  // 0: no patterns, slots are found by stepping
  std::uint8_t small_count = 0;     // of `smalls`
  std::uint32_t first_slot = 0;     // index of the first slot behind the header
  std::uint32_t end_slot = 0;
  std::uint16_t words = 0;              // of the bitmap, 64 granules each
  std::uint16_t period_reciprocal = 0;  // of pattern_period, times 2^15
  std::uint32_t first_count = 0;
  std::uint64_t first_slots = 0;            // the `first_count` slots that start in bitmap word 0
  const std::uint64_t* patterns = nullptr;  // by bitmap word, repeating: the granules of its slots
  std::uint64_t reciprocal = 0;             // of block_bytes, times 2^40: exact for any slab
  const slab_layout* smalls = nullptr;      // of smaller slabs, each twice as large as the last

  constexpr std::uint32_t capacity() const noexcept { return end_slot - first_slot; }
  constexpr slot_step step() const noexcept {
    return {block_bytes, static_cast<std::uint32_t>(divide_up(std::uint64_t{1} << 32, block_bytes)),
            std::uint64_t{1} << word_shift};
  }
  constexpr bool one_slot_per_granule() const noexcept {
    return block_bytes == std::uint32_t{1} << granule_shift;
  }
  // The first slot that starts at or after bitmap word `w`; slots before `first_slot` count too.
  constexpr std::uint32_t slot_of_word(std::uint32_t w) const noexcept {
    const std::uint64_t bytes = (std::uint64_t{w} << word_shift) + block_bytes - 1;
    return static_cast<std::uint32_t>(bytes * reciprocal >> 40);
  }
  // Requires that there are patterns.
  constexpr std::uint64_t pattern_of_word(std::uint32_t w) const noexcept {
    return patterns[w - (w * period_reciprocal >> 15) * pattern_period];
  }
};

// Whether a slot starts behind the header within the first bitmap word's span, as the engine needs.
constexpr bool is_possible_slab(std::size_t block_bytes, std::size_t slab_bytes) noexcept {
  const std::size_t granule = smaller(std::bit_floor(block_bytes), slab_bytes / 64);
  const std::size_t header = slab_header_bytes + slab_bytes / granule / 64 * sizeof(std::uint64_t);
  return divide_up(header, block_bytes) * block_bytes < granule * 64 &&
         (divide_up(header, block_bytes) + 1) * block_bytes <= slab_bytes;
}

// Requires: block_bytes a multiple of 8, at least 16; slab_bytes a power of two, a possible slab.
// `tail_bytes` stay free behind the bitmap.
constexpr slab_layout make_layout(std::size_t block_bytes, std::size_t slab_bytes,
                                  std::size_t tail_bytes = 0) noexcept {
  slab_layout out;
  out.block_bytes = static_cast<std::uint32_t>(block_bytes);
  out.slab_bytes = static_cast<std::uint32_t>(slab_bytes);
  out.reciprocal = divide_up(std::uint64_t{1} << 40, block_bytes);
  const std::size_t granule = smaller(std::bit_floor(block_bytes), slab_bytes / 64);
  out.granule_shift = static_cast<std::uint8_t>(std::bit_width(granule) - 1);
  out.word_shift = static_cast<std::uint8_t>(out.granule_shift + 6);
  out.words = static_cast<std::uint16_t>(slab_bytes / granule / 64);
  const std::size_t header =
      is_header_in_slab ? slab_header_bytes + out.words * sizeof(std::uint64_t) + tail_bytes : 0;
  out.first_slot = static_cast<std::uint32_t>(divide_up(header, block_bytes));
  out.end_slot = static_cast<std::uint32_t>(slab_bytes / block_bytes);
  const std::uint32_t begin_of_word_1 = smaller(out.slot_of_word(1), out.end_slot);
  out.first_count = begin_of_word_1 - out.first_slot;
  out.first_slots = low_bits(out.first_count) << out.first_slot;

  return out;
}

using slot_patterns = std::array<std::uint64_t, longest_pattern>;

constexpr std::size_t pattern_period_of(const slab_layout& layout) noexcept {
  const std::size_t word_span = std::size_t{1} << layout.word_shift;
  return layout.block_bytes / std::gcd(std::size_t{layout.block_bytes}, word_span);
}

constexpr slot_patterns make_patterns(const slab_layout& layout) noexcept {
  slot_patterns out{};
  const std::size_t word_span = std::size_t{1} << layout.word_shift;
  const std::size_t words = smaller(pattern_period_of(layout), std::size_t{layout.words});
  for (std::size_t w = 0; w < words; ++w) {
    const std::size_t start = w * word_span;
    for (std::size_t at = divide_up(start, layout.block_bytes) * layout.block_bytes;
         at < start + word_span; at += layout.block_bytes) {
      out[w] |= std::uint64_t{1} << ((at - start) >> layout.granule_shift);
    }
  }
  return out;
}

// Small blocks get small slabs, so that a pool with few blocks stays on few pages; large blocks get
// slabs that hold enough of them.
constexpr std::size_t slab_bytes_for(std::size_t block_bytes) noexcept {
  if (block_bytes <= 256) return std::size_t{16} << 10;
  if (block_bytes <= 2048) return std::size_t{64} << 10;
  if (block_bytes <= largest_class_bytes) return std::size_t{256} << 10;
  return block_bytes <= largest_extended_bytes / 2 ? std::size_t{1} << 20 : std::size_t{2} << 20;
}

constexpr slab_layout class_layout(unsigned size_class) noexcept {
  return make_layout(class_bytes(size_class), slab_bytes_for(class_bytes(size_class)));
}

// In the library: computing them in every file that includes this takes a quarter of a second.
MALLARD_API extern const std::array<slot_patterns, extended_class_count> class_patterns;

inline constexpr auto class_layouts = [] {
  std::array<slab_layout, extended_class_count> table{};
  for (unsigned c = 0; c < extended_class_count; ++c) {
    table[c] = class_layout(c);
    table[c].pattern_period = static_cast<std::uint8_t>(pattern_period_of(table[c]));
    table[c].period_reciprocal =
        static_cast<std::uint16_t>(divide_up(1u << 15, table[c].pattern_period));
    table[c].patterns = class_patterns[c].data();
  }
  return table;
}();

// A pool of few blocks should take little memory. The classes in the table begin with a slab of 1
// KiB, or larger until it has three blocks; each next one is twice as large, up to half a whole
// slab.
inline constexpr std::size_t most_small_sizes = 6;
inline constexpr std::size_t smallest_slab_bytes = 1024;
inline constexpr std::size_t small_tail_bytes = sizeof(void*);  // the link of a pool's small slabs

constexpr slab_layout small_layout(unsigned size_class, unsigned doublings) noexcept {
  const std::size_t block_bytes = class_bytes(size_class);
  std::size_t slab_bytes = smallest_slab_bytes;
  while (make_layout(block_bytes, slab_bytes, small_tail_bytes).capacity() < 3) slab_bytes *= 2;
  return make_layout(block_bytes, slab_bytes << doublings, small_tail_bytes);
}

constexpr unsigned small_sizes_of(unsigned size_class) noexcept {
  unsigned count = 0;
  while (small_layout(size_class, count).slab_bytes < slab_bytes_for(class_bytes(size_class))) {
    ++count;
  }
  return count;
}

// Slots lie where they do in a whole slab, so the patterns are shared, unless a small slab has
// granules of its own. It has one word then.
inline constexpr auto small_patterns = [] {
  std::array<std::array<std::uint64_t, most_small_sizes>, table_class_count> table{};
  for (unsigned c = 0; c < table_class_count; ++c) {
    for (unsigned i = 0; i < small_sizes_of(c); ++i) {
      table[c][i] = make_patterns(small_layout(c, i))[0];
    }
  }
  return table;
}();

inline constexpr auto small_layouts = [] {
  std::array<std::array<slab_layout, most_small_sizes>, table_class_count> table{};
  for (unsigned c = 0; c < table_class_count; ++c) {
    for (unsigned i = 0; i < small_sizes_of(c); ++i) {
      slab_layout& layout = table[c][i];
      layout = small_layout(c, i);
      const bool has_own_pattern = layout.words == 1;
      const slab_layout& whole = class_layouts[c];
      layout.pattern_period = has_own_pattern ? std::uint8_t{1} : whole.pattern_period;
      layout.period_reciprocal =
          has_own_pattern ? std::uint16_t{1u << 15} : whole.period_reciprocal;
      layout.patterns = has_own_pattern ? &small_patterns[c][i] : whole.patterns;
    }
  }
  return table;
}();

// The layouts of pools that begin with small slabs.
inline constexpr auto growing_layouts = [] {
  auto table = class_layouts;
  for (unsigned c = 0; c < table_class_count; ++c) {
    table[c].smalls = small_layouts[c].data();
    table[c].small_count = static_cast<std::uint8_t>(small_sizes_of(c));
  }
  return table;
}();

inline constexpr auto class_steps = [] {
  std::array<slot_step, extended_class_count> table{};
  for (unsigned c = 0; c < extended_class_count; ++c) table[c] = class_layouts[c].step();
  return table;
}();

}  // namespace mallard::inline v1::detail
