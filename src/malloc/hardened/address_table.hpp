// Purpose: what the hardened build knows of addresses, by two look-ups: for each MiB where the
// states of its blocks are, for each region which huge block begins there. A page of the table
// covers 4 GiB of addresses; it is made when the first of these are used, and never removed. Any
// thread may look up anything at any time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/pages/slices.hpp"

namespace mallard::inline v1::detail {

// An atomic word that is zero without an initialiser, so that large tables need no evaluation.
struct table_word {
  std::uintptr_t value;

  std::uintptr_t load() const noexcept { return __atomic_load_n(&value, __ATOMIC_ACQUIRE); }
  void store(std::uintptr_t to) noexcept { __atomic_store_n(&value, to, __ATOMIC_RELEASE); }
  // Returns what was there before.
  std::uintptr_t set_bits(std::uintptr_t bits) noexcept {
    return __atomic_fetch_or(&value, bits, __ATOMIC_RELAXED);
  }
};

// The bits of addresses that the system gives to callers that do not ask for certain ones.
#ifdef __x86_64__
inline constexpr unsigned user_address_bits = 47;
#else
inline constexpr unsigned user_address_bits = 48;
#endif

inline constexpr unsigned granule_bits = 4;  // there is a state for each 16 bytes
inline constexpr unsigned part_bits = 20;
inline constexpr std::size_t part_bytes = std::size_t{1} << part_bits;
inline constexpr std::size_t part_states = part_bytes >> granule_bits;
inline constexpr unsigned page_address_bits = 32;
inline constexpr std::size_t parts_per_page = std::size_t{1} << (page_address_bits - part_bits);

struct address_page {
  // The place of the address 0's state, in steps of a granule; 0: nothing is known here.
  std::array<table_word, parts_per_page> states;
  std::array<table_word, (std::size_t{1} << page_address_bits) / region_bytes> huge;
};

inline constexpr std::size_t address_pages = std::size_t{1}
                                             << (user_address_bits - page_address_bits);
[[gnu::visibility("hidden")]] extern table_word address_table[address_pages];

// Null when nothing is known of 4 GiB around, or the address is no user's.
inline address_page* page_of_address(std::uintptr_t address) noexcept {
  const std::uintptr_t index = address >> page_address_bits;
  if (index >= address_pages) return nullptr;
  return reinterpret_cast<address_page*>(address_table[index].load());
}
// Makes the page if it is not there. Null without memory for it, or when the address is no user's.
address_page* make_page_of_address(std::uintptr_t address) noexcept;

inline table_word& states_word(address_page& page, std::uintptr_t address) noexcept {
  return page.states[(address >> part_bits) % parts_per_page];
}
inline table_word& huge_word(address_page& page, std::uintptr_t address) noexcept {
  return page.huge[address / region_bytes % page.huge.size()];
}

// Makes states for the parts of the region from `begin` to `end` that have none yet: readable
// zeros. False when there is no memory.
bool make_states(std::uintptr_t begin, std::uintptr_t end) noexcept;
// Gives them back.
void remove_states(std::uintptr_t begin, std::uintptr_t end) noexcept;

}  // namespace mallard::inline v1::detail
