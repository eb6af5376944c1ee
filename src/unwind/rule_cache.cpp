#include "unwind/rule_cache.hpp"

#include <sys/mman.h>

namespace mallard::unwind {

bool rule_cache::open() noexcept {
  void* const memory = mmap(nullptr, sizeof(entry) << bits, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  entries_ = static_cast<entry*>(memory);
  return true;
}

void rule_cache::clear() noexcept {
  for (std::size_t i = 0; i < std::size_t{1} << bits; ++i) {
    entries_[i].key.store(0, std::memory_order_relaxed);
    entries_[i].rule.store(0, std::memory_order_relaxed);
  }
}

frame_rule rule_cache::find_slowly(std::uint64_t ip, entry& at) noexcept {
  const frame_rule rule = find_frame_rule(ip);
  const std::uint64_t bits_of_rule = std::bit_cast<std::uint64_t>(rule);
  at.rule.store(bits_of_rule, std::memory_order_relaxed);
  at.key.store(ip ^ bits_of_rule, std::memory_order_relaxed);
  return rule;
}

}  // namespace mallard::unwind
