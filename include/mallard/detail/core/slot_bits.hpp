// Purpose: turns a bitmap word (one bit per granule) into a pool's word (one bit per slot).
#pragma once

#include <cstdint>

#include "mallard/detail/config.hpp"
#include "mallard/detail/core/slab_layout.hpp"

namespace mallard::inline v1::detail {

// Bit i of the result is the bit of slot i's granule in `word`; slots count from the word's first.
// O(1) where the processor extracts bits, O(slots in the word) elsewhere.
MALLARD_API std::uint64_t slots_of_word(const slab_layout& layout, std::uint32_t w,
                                        std::uint64_t word) noexcept;

// The portable form, for processors without bit extraction; the other is tested against it.
MALLARD_API std::uint64_t slots_of_word_by_stepping(const slab_layout& layout, std::uint32_t w,
                                                    std::uint64_t word) noexcept;

}  // namespace mallard::inline v1::detail
