// Purpose: the checks of the hardened build on the hot paths. The state of blocks is kept apart
// from them: a byte for every 16 bytes of a region, in a mapping between guard pages, says whether
// a block in use begins there. So one look-up answers for any address, and no overflow of a block
// can change the answer. The overflow itself shows in the block's canaries.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/core/slab.hpp"
#include "mallard/detail/os/pages.hpp"
#include "malloc/hardened/address_table.hpp"
#include "malloc/hardened/hardened_canary.hpp"
#include "malloc/malloc_classes.hpp"
#include "malloc/region.hpp"

namespace mallard::inline v1::detail {

// The state of the 16 bytes where a block begins. A live block that must be cleared when it is
// freed has a state of its own, so that the hot path need not read the option.
enum block_state : std::uint8_t { never_used, live, live_to_clear, freed };

[[gnu::visibility("hidden")]] extern constinit std::uint8_t state_of_new_blocks;
extern constinit std::uintptr_t link_secret;

struct hardened_checks {
  static constexpr bool has_guards = true;
  static std::size_t guard_bytes() noexcept { return os::page_size(); }
  // With its guard page each is two mappings, and a process has 65,530 by default.
  static constexpr std::size_t most_mapped_large_blocks = 24'000;
  static constexpr bool keeps_classes = true;

  static constexpr bool knows_sizes = true;
  struct any_size {};
  struct said_size {
    std::size_t bytes;
    std::size_t alignment;
    constexpr said_size(std::size_t b, std::size_t a) noexcept : bytes(b), alignment(a) {}
  };
  // Ends the program when no block at `p` can have been asked for with this alignment.
  static void said_alignment(const void* p, std::size_t alignment) noexcept {
    if ((address_of(p) & (alignment - 1)) != 0 && alignment != 0) [[unlikely]] {
      wrong_alignment(p, alignment);
    }
  }

  using state = std::atomic<std::uint8_t>;

  static void allocated(const void* p) noexcept {
    known_state_of(address_of(p)).store(state_of_new_blocks, std::memory_order_relaxed);
  }

  static void taken(void* p) noexcept {
    if (!is_signed_free(p)) [[unlikely]] {
      written_when_free(p);
    }
    clear_signature(p);
    allocated(p);
  }

  static bool is_live(std::uint8_t s) noexcept { return s == live || s == live_to_clear; }

  // Requires an address in the usable part of a region.
  static state& known_state_of(std::uintptr_t address) noexcept {
    address_page& page =
        *reinterpret_cast<address_page*>(address_table[address >> page_address_bits].load());
    return *reinterpret_cast<state*>(states_word(page, address).load() + (address >> granule_bits));
  }
  // Null when the address lies in no region, or is no multiple of 16.
  static state* state_of(const void* p) noexcept {
    // Rotated, an unaligned address looks as large as one that is no user's.
    const std::uintptr_t granule = std::rotr(address_of(p), granule_bits);
    const std::uintptr_t index = granule >> (page_address_bits - granule_bits);
    if (index >= address_pages) [[unlikely]] {
      return nullptr;
    }
    const auto* const page = reinterpret_cast<const address_page*>(address_table[index].load());
    if (page == nullptr) [[unlikely]] {
      return nullptr;
    }
    const std::uintptr_t states =
        page->states[(granule >> (part_bits - granule_bits)) % parts_per_page].load();
    if (states == 0) [[unlikely]] {
      return nullptr;
    }
    const std::uintptr_t place = states + granule;
    if (place == 0) __builtin_unreachable();
    return reinterpret_cast<state*>(place);
  }

  static bool freeing(const void* p) noexcept {
    state* const s = state_of(p);
    if (s == nullptr || s->load(std::memory_order_relaxed) != live) [[unlikely]] {
      return false;
    }
    s->store(freed, std::memory_order_relaxed);
    if (region::index_of(p) == 0) __builtin_unreachable();
    return true;
  }
  // For null, huge blocks, and blocks to clear; everything else ends the program.
  [[gnu::cold]] static void refused(void* p, any_size) noexcept;
  [[gnu::cold]] static void refused(void* p, said_size size) noexcept;

  static void freed_as(void* p, slice_mark mark, any_size) noexcept {
    if (!mark.is_in_slab()) return;
    check_around(p, mark.size_class());
    sign_free_block(p);  // a scope's magazine may be where it goes
  }
  static void freed_as(void* p, slice_mark mark, said_size size) noexcept {
    check_size(p, mark, size);
    freed_as(p, mark, any_size());
  }
  static bool freed_as_class(void* p, std::uintptr_t size_class, any_size) noexcept {
    if (!are_right_around(p, block_bytes_of(size_class))) [[unlikely]] {
      return false;
    }
    sign_free_block(p);
    return true;
  }
  static bool freed_as_class(void* p, std::uintptr_t size_class, said_size size) noexcept {
    const std::size_t block = request_with_canary(size.bytes, size.alignment);
    const bool is_right = block <= largest_class_bytes && class_of_block(block) == size_class;
    return is_right && freed_as_class(p, size_class, any_size());
  }
  // A call that returns would cost the hot path registers: so these end it.
  [[gnu::cold]] static void freed_oddly(void* p, std::uintptr_t size_class, any_size) noexcept;
  [[gnu::cold]] static void freed_oddly(void* p, std::uintptr_t size_class,
                                        said_size size) noexcept;

  static void kept_larger() noexcept;
  static void in_use(const void* p) noexcept {
    const state* const s = state_of(p);
    if (s == nullptr || !is_live(s->load(std::memory_order_relaxed))) return in_use_elsewhere(p);
    const slice_mark mark = mark_of(p);
    if (mark.is_in_slab()) check_around(p, mark.size_class());
  }

  // Puts them in random order, if none of them is in use.
  static void refilled(void** first, void** last, unsigned size_class) noexcept;
  static void left_slab(const void* p, unsigned size_class) noexcept {
    const std::size_t bytes = block_bytes_of(size_class);
    if (!is_right_below(address_of(p)) || !is_right_below(address_of(p) + bytes)) [[unlikely]] {
      write_canaries(p, bytes);
    }
  }
  static void forget_blocks(const void* p, std::size_t bytes) noexcept;
  static constexpr bool checks_slabs = true;
  static void using_slab(const slab& s, const slab_set* owner, unsigned size_class) noexcept;
  static void not_owning(const slab& s, slice_mark mark, const slab_set* heap) noexcept {
    if (address_of(mark.heap()) == address_of(heap)) overwritten_header(s);
  }

  static void* link(const void* block, void* next) noexcept {
    return reinterpret_cast<void*>(address_of(next) ^ address_of(block) ^ link_secret);
  }
  static void* linked(const void* block, void* link) noexcept {
    void* const next = reinterpret_cast<void*>(address_of(link) ^ address_of(block) ^ link_secret);
    if (next == nullptr) return next;
    const state* const s = state_of(next);
    if (s == nullptr || s->load(std::memory_order_relaxed) != freed) [[unlikely]] {
      overwritten_link(block);
    }
    return next;
  }

  static bool must_clear() noexcept { return state_of_new_blocks == live_to_clear; }

  // Set the option; false when the value is none of its values.
  static bool set_zero_on_free(const char* value) noexcept;
  static bool set_wrong_sizes(const char* value) noexcept;

  static bool covers(const void* p) noexcept {
    return make_page_of_address(address_of(p)) != nullptr;
  }
  static bool add_region(region& r, std::size_t end) noexcept;
  static bool extend_region(region& r, std::size_t begin, std::size_t end) noexcept;
  static void remove_region(region& r) noexcept;
  static void purged(const void* p, std::size_t bytes) noexcept;
  static void add_huge(const void* p, const region& r) noexcept;
  static void using_huge(const void* p, const region& r) noexcept;
  static void remove_huge(const void* p) noexcept;
  static bool remove_huge_of_heap(const void* p) noexcept;

 private:
  // Ends the program when the block may not have this size.
  [[gnu::cold]] static void check_size(const void* p, slice_mark mark, said_size size) noexcept;
  [[gnu::cold]] static void wrong_alignment(const void* p, std::size_t alignment) noexcept;
  [[gnu::cold]] static void in_use_elsewhere(const void* p) noexcept;
  // Ends the program when the bytes around the block were overwritten.
  static void check_around(const void* p, std::uintptr_t size_class) noexcept {
    const std::size_t bytes = block_bytes_of(size_class);
    if (are_right_around(p, bytes)) [[likely]] {
      return;
    }
    const std::uintptr_t begin = address_of(p);
    if (is_right_below(begin + bytes) && was_given_back(begin)) return;
    overwritten_around(p, bytes);
  }
  [[noreturn, gnu::cold]] static void overwritten_around(const void* p, std::size_t bytes) noexcept;
  // Ends the program when a neighbouring block has written there.
  [[gnu::cold]] static void write_canaries(const void* p, std::size_t bytes) noexcept;
  [[noreturn, gnu::cold]] static void written_when_free(const void* p) noexcept;
  [[noreturn, gnu::cold]] static void overwritten_link(const void* block) noexcept;
  [[noreturn, gnu::cold]] static void overwritten_header(const slab& s) noexcept;
  // Whether a block that `freeing` has rejected must be given back now. False for null.
  static bool admit(void* p) noexcept;
};

}  // namespace mallard::inline v1::detail
