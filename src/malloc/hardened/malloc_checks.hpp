// Purpose: what the hardened build checks on the hot paths. What is known of blocks is kept apart
// from them: a byte for every 16 bytes of a region, in a mapping between guard pages, says whether
// a block in use begins there. So the answer for any address at all takes one look-up, and no
// overflow of a block can change it.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/core/slab.hpp"
#include "mallard/detail/os/pages.hpp"
#include "malloc/malloc_classes.hpp"
#include "malloc/region.hpp"

namespace mallard::inline v1::detail {

// Of the 16 bytes where a block begins. A live block that has to be cleared when it is freed
// differs from others, so that the hot path need not ask for the option.
enum block_state : std::uint8_t { never_used, live, live_to_clear, freed };

inline constexpr unsigned granule_bits = 4;
inline constexpr unsigned granules_per_region_bits = 22;
static_assert(std::size_t{1} << (granule_bits + granules_per_region_bits) == region_bytes);
// Of the addresses that the system gives to those who do not ask for certain ones.
#ifdef __x86_64__
inline constexpr unsigned user_address_bits = 47;
#else
inline constexpr unsigned user_address_bits = 48;
#endif
inline constexpr std::size_t region_limit = (std::size_t{1} << user_address_bits) / region_bytes;

// An atomic word that is zero without an initialiser: tables of millions need no evaluation.
struct table_word {
  std::uintptr_t value;

  std::uintptr_t load() const noexcept { return __atomic_load_n(&value, __ATOMIC_RELAXED); }
  void store(std::uintptr_t to) noexcept { __atomic_store_n(&value, to, __ATOMIC_RELAXED); }
  // Returns what was there before.
  std::uintptr_t set_bits(std::uintptr_t bits) noexcept {
    return __atomic_fetch_or(&value, bits, __ATOMIC_RELAXED);
  }
};

// Of region i: where the state of the address 0 would be, in steps of a granule; 0: no region.
extern table_word region_states[region_limit];
extern constinit std::uint8_t state_of_new_blocks;
extern constinit std::uintptr_t link_secret;

struct checks {
  static constexpr bool has_guards = true;
  static std::size_t guard_bytes() noexcept { return os::page_size(); }
  static constexpr bool maps_large_blocks = true;
  static constexpr bool keeps_classes = true;

  struct any_size {};
  struct said_size {
    std::size_t bytes;
    std::size_t alignment;
    constexpr said_size(std::size_t b, std::size_t a) noexcept : bytes(b), alignment(a) {}
  };

  using state = std::atomic<std::uint8_t>;

  static void allocated(const void* p) noexcept {
    const std::uintptr_t granule = address_of(p) >> granule_bits;
    const std::uintptr_t states = region_states[granule >> granules_per_region_bits].load();
    reinterpret_cast<state*>(states + granule)
        ->store(state_of_new_blocks, std::memory_order_relaxed);
  }

  static bool is_live(std::uint8_t s) noexcept { return s == live || s == live_to_clear; }

  // Null when the address lies in no region, or is no multiple of 16.
  static state* state_of(const void* p) noexcept {
    // Rotated, what is not aligned looks as large as what is no user's address.
    const std::uintptr_t granule = std::rotr(address_of(p), granule_bits);
    const std::uintptr_t index = granule >> granules_per_region_bits;
    if (index >= region_limit) [[unlikely]] {
      return nullptr;
    }
    const std::uintptr_t states = region_states[index].load();
    if (states == 0) [[unlikely]] {
      return nullptr;
    }
    return reinterpret_cast<state*>(states + granule);
  }

  static bool freeing(const void* p) noexcept {
    state* const s = state_of(p);
    if (s == nullptr || s->load(std::memory_order_relaxed) != live) [[unlikely]] {
      return false;
    }
    s->store(freed, std::memory_order_relaxed);
    if (region::of(p) == nullptr) __builtin_unreachable();
    return true;
  }
  // Null, huge blocks, blocks to clear; everything else ends the program.
  [[gnu::cold]] static void refused(void* p, any_size) noexcept;
  [[gnu::cold]] static void refused(void* p, said_size size) noexcept;

  static void freed_as(const void*, slice_mark, any_size) noexcept {}
  static void freed_as(const void* p, slice_mark mark, said_size size) noexcept {
    check_size(p, mark, size);
  }
  static void freed_as_class(const void*, std::uintptr_t, any_size) noexcept {}
  static void freed_as_class(const void* p, std::uintptr_t size_class, said_size size) noexcept {
    const std::size_t request = class_request(size.bytes, size.alignment);
    if (request > largest_class_bytes || malloc_class_of(request) != size_class) [[unlikely]] {
      check_size(p, size_class | mark_limit, size);
    }
  }

  static void kept_larger() noexcept;
  static void in_use(const void* p) noexcept {
    const state* const s = state_of(p);
    if (s == nullptr || !is_live(s->load(std::memory_order_relaxed))) in_use_elsewhere(p);
  }

  // In random order, if none of them is in use.
  static void refilled(void** first, void** last) noexcept;
  static void using_slab(const slab& s, const slab_set* owner, unsigned size_class) noexcept;
  static void not_owning(const slab& s, slice_mark mark, const slab_set* heap) noexcept {
    if (mark / mark_limit * mark_limit == address_of(heap)) overwritten_header(s);
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

  // The option's value; false when it is none.
  static bool set_zero_on_free(const char* value) noexcept;
  static bool set_wrong_sizes(const char* value) noexcept;

  static bool covers(const void* p) noexcept { return address_of(p) / region_bytes < region_limit; }
  static bool add_region(region& r, std::size_t end) noexcept;
  static bool extend_region(region& r, std::size_t begin, std::size_t end) noexcept;
  static void remove_region(region& r) noexcept;
  static void add_huge(const void* p, const region& r) noexcept;
  static void using_huge(const void* p, const region& r) noexcept;
  static void remove_huge(const void* p) noexcept;

 private:
  // Ends the program when the size is not one that the block may have.
  [[gnu::cold]] static void check_size(const void* p, slice_mark mark, said_size size) noexcept;
  [[gnu::cold]] static void in_use_elsewhere(const void* p) noexcept;
  [[noreturn, gnu::cold]] static void overwritten_link(const void* block) noexcept;
  [[noreturn, gnu::cold]] static void overwritten_header(const slab& s) noexcept;
  // Of what `freeing` has not let pass: whether it has to be given back now. False for null.
  static bool admit(void* p) noexcept;
};

}  // namespace mallard::inline v1::detail
