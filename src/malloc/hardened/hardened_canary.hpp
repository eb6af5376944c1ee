// Purpose: detects writes beyond a block of a slab, before it, or to a free one.
//
// Every slot of a slab ends with a word, its canary: a secret plus the address behind the slot. So
// there is one right before each block and one at its end, and while both are intact they differ by
// exactly the block's bytes: freeing a block checks both with one subtraction, without the secret.
// They are written when the slot leaves its slab's bitmap and stay until its page is given back or
// the slab goes, so malloc need not write them. A free block in a magazine begins with a word of
// another secret, which malloc checks and clears.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {

// A block is larger than its request by so much.
inline constexpr std::size_t canary_bytes = sizeof(std::uintptr_t);

// Set with the first region, never 0. Hidden, so that loading it needs no address first.
[[gnu::visibility("hidden")]] extern constinit std::uintptr_t canary_secret;
[[gnu::visibility("hidden")]] extern constinit std::uintptr_t free_secret;

using canary_word [[gnu::may_alias]] = std::uintptr_t;

// Another thread may read a canary between two blocks while this one writes it.
inline std::uintptr_t canary_below(std::uintptr_t address) noexcept {
  return __atomic_load_n(reinterpret_cast<canary_word*>(address) - 1, __ATOMIC_RELAXED);
}
inline void write_canary_below(std::uintptr_t address) noexcept {
  __atomic_store_n(reinterpret_cast<canary_word*>(address) - 1, canary_secret + address,
                   __ATOMIC_RELAXED);
}
inline bool is_right_below(std::uintptr_t address) noexcept {
  return canary_below(address) - address == canary_secret;
}

inline bool are_right_around(const void* p, std::size_t block_bytes) noexcept {
  return canary_below(address_of(p) + block_bytes) - canary_below(address_of(p)) == block_bytes;
}

// A free block's page may have been given back, and with it the canary before what begins there.
inline bool was_given_back(std::uintptr_t address) noexcept {
  return address % os::page_bytes == 0 && canary_below(address) == 0;
}

inline void sign_free_block(void* p) noexcept {
  *static_cast<canary_word*>(p) = address_of(p) ^ free_secret;
}
inline bool is_signed_free(const void* p) noexcept {
  return (*static_cast<const canary_word*>(p) ^ address_of(p)) == free_secret;
}
inline void clear_signature(void* p) noexcept {
  *static_cast<canary_word*>(p) = 0;
}

// Zeroing in steps of 16 bytes overwrites the canary of a request that ends with half a step. This
// restores the word behind the request.
class kept_canary {
 public:
  kept_canary(void* p, std::size_t request) noexcept
      : place_(reinterpret_cast<canary_word*>(
            round_up(address_of(p) + request + canary_bytes, 2 * canary_bytes) - canary_bytes)),
        word_(*place_) {}
  ~kept_canary() { *place_ = word_; }
  kept_canary(const kept_canary&) = delete;
  kept_canary& operator=(const kept_canary&) = delete;

 private:
  canary_word* place_;
  std::uintptr_t word_;
};

}  // namespace mallard::inline v1::detail
