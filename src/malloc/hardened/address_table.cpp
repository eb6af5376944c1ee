#include "malloc/hardened/address_table.hpp"

#include <algorithm>

#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {

table_word address_table[address_pages];

address_page* make_page_of_address(std::uintptr_t address) noexcept {
  if (address >> user_address_bits != 0) return nullptr;
  if (address_page* const there = page_of_address(address)) return there;
  const std::size_t bytes = round_up(sizeof(address_page), os::page_size());
  void* const p = os::map(bytes, os::page_size(), false);
  if (p == nullptr) return nullptr;
  std::uintptr_t& word = address_table[address >> page_address_bits].value;
  std::uintptr_t before = 0;
  if (__atomic_compare_exchange_n(&word, &before, address_of(p), false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE)) {
    return static_cast<address_page*>(p);
  }
  os::unmap(p, bytes);  // another thread was faster
  return reinterpret_cast<address_page*>(before);
}

namespace {

// The states of the part that begins there.
std::byte* states_of_part(std::uintptr_t word, std::uintptr_t begin) noexcept {
  return reinterpret_cast<std::byte*>(word + (begin >> granule_bits));
}

}  // namespace

// Makes the states in one mapping between guard pages.
bool make_states(std::uintptr_t begin, std::uintptr_t end) noexcept {
  address_page* const page = make_page_of_address(begin);
  if (page == nullptr) return false;
  begin = round_down(begin, part_bytes);
  end = round_up(end, part_bytes);
  while (begin != end && states_word(*page, begin).load() != 0) begin += part_bytes;
  if (begin == end) return true;
  const std::size_t guard = os::page_size();
  const std::size_t bytes = (end - begin) >> granule_bits;
  auto* const p = static_cast<std::byte*>(os::map_zeros(bytes + 2 * guard));
  if (p == nullptr) return false;
  os::protect(p, guard);
  os::protect(p + guard + bytes, guard);
  const std::uintptr_t word = address_of(p + guard) - (begin >> granule_bits);
  for (std::uintptr_t at = begin; at != end; at += part_bytes) states_word(*page, at).store(word);
  return true;
}

void remove_states(std::uintptr_t begin, std::uintptr_t end) noexcept {
  address_page* const page = page_of_address(begin);
  if (page == nullptr) return;  // there was no memory for it, so nothing was made
  const std::size_t guard = os::page_size();
  end = round_up(end, part_bytes);
  while (begin != end) {
    const std::uintptr_t word = states_word(*page, begin).load();
    std::byte* const first = states_of_part(word, begin) - guard;
    // Entries that were made at once have one word.
    std::size_t bytes = 2 * guard;
    for (; begin != end && states_word(*page, begin).load() == word; begin += part_bytes) {
      states_word(*page, begin).store(0);
      bytes += part_states;
    }
    if (word != 0) os::unmap(first, bytes);
  }
}

}  // namespace mallard::inline v1::detail
