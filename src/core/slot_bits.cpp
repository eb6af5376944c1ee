#include "mallard/detail/core/slot_bits.hpp"

namespace mallard::inline v1::detail {
namespace {

#if defined(__x86_64__)
[[gnu::target("bmi2")]] std::uint64_t extract(std::uint64_t word, std::uint64_t pattern) noexcept {
  return __builtin_ia32_pext_di(word, pattern);
}
bool can_extract() noexcept {
  return __builtin_cpu_supports("bmi2") != 0;
}
#else
std::uint64_t extract(std::uint64_t, std::uint64_t) noexcept {
  return 0;
}
constexpr bool can_extract() noexcept {
  return false;
}
#endif

}  // namespace

std::uint64_t slots_of_word_by_stepping(const slab_layout& layout, std::uint32_t w,
                                        std::uint64_t word) noexcept {
  const std::uint32_t start = w << layout.word_shift;
  const std::uint32_t end = start + (1u << layout.word_shift);
  std::uint64_t slots = 0;
  unsigned i = 0;
  for (std::uint32_t at = layout.slot_of_word(w) * layout.block_bytes; at < end;
       at += layout.block_bytes) {
    slots |= (word >> ((at - start) >> layout.granule_shift) & 1) << i++;
  }
  return slots;
}

std::uint64_t slots_of_word(const slab_layout& layout, std::uint32_t w,
                            std::uint64_t word) noexcept {
  if (layout.one_slot_per_granule()) return word;
  if (layout.pattern_period == 0 || !can_extract()) {
    return slots_of_word_by_stepping(layout, w, word);
  }
  return extract(word, layout.pattern_of_word(w));
}

}  // namespace mallard::inline v1::detail
