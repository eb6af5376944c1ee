#include "mallard/detail/core/slot_bits.hpp"

#if defined(__x86_64__)
#include <cpuid.h>

#include <atomic>
#endif

namespace mallard::inline v1::detail {
namespace {

#if defined(__x86_64__)
[[gnu::target("bmi2")]] std::uint64_t extract(std::uint64_t word, std::uint64_t pattern) noexcept {
  return __builtin_ia32_pext_di(word, pattern);
}

// The compiler's own function asks the processor for all features when the program starts, and in
// a virtual machine each of some ten questions takes 10 us. This asks when the answer is needed.
enum class answer : unsigned char { none, no, yes };
constinit std::atomic<answer> extracts{answer::none};

MALLARD_COLD bool ask_whether_it_extracts() noexcept {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  const bool has = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_BMI2) != 0;
  extracts.store(has ? answer::yes : answer::no, std::memory_order_relaxed);
  return has;
}

bool can_extract() noexcept {
  const answer known = extracts.load(std::memory_order_relaxed);
  return known == answer::none ? ask_whether_it_extracts() : known == answer::yes;
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
