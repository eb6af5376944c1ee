// Purpose: mappings that are free, kept for whoever needs one of about their size: what a program
// maps and unmaps again and again is not taken from the system and given back each time.
//
// How many stay is the idle policy's to say; those that have been here longest go first. The cache
// makes no system calls and takes no lock: its owner does, one around it and the other outside.
//
//   if (!kept.keep(p, bytes, in_use)) os::unmap(p, bytes);
//   while (kept_mapping* m = kept.next_to_go()) os::unmap(m, m->bytes);
//
// Everything is O(1).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/config.hpp"
#include "mallard/detail/pages/idle_policy.hpp"

namespace mallard::inline v1::detail {

// In the first bytes of the mapping: whoever gave it has just used that page.
struct kept_mapping {
  kept_mapping* bin_next;
  kept_mapping* bin_prev;
  kept_mapping* newer;
  kept_mapping* older;
  std::size_t bytes;
};

class kept_mappings {
 public:
  constexpr explicit kept_mappings(std::size_t idle_bytes, std::size_t most = SIZE_MAX,
                                   idle_policy::clock milliseconds = os::milliseconds) noexcept
      : idle_(idle_bytes, most, milliseconds) {}
  kept_mappings(const kept_mappings&) = delete;
  kept_mappings& operator=(const kept_mappings&) = delete;

  // Mappings of one of these steps, eight for each doubling, are found by looking at some few.
  static std::size_t step_of(std::size_t bytes) noexcept;

  // A mapping of at least `least` bytes and at most `most`; null when there is none.
  kept_mapping* take(std::size_t least, std::size_t most) noexcept;
  // Keeps the mapping. False when it is more than may stay. The larger the `used` bytes are that
  // its owner has mapped besides, the more may.
  bool keep(void* p, std::size_t bytes, std::size_t used) noexcept;

  // Half of what nobody needed for a second has to go; all. Returns whether there is any to go.
  bool decay() noexcept { return bytes_ > (may_stay_ = idle_.after_decay(bytes_)); }
  bool clear() noexcept { return bytes_ > (may_stay_ = 0); }
  bool set_idle_limit(std::size_t least, std::size_t most) noexcept;

  // The oldest of more than may stay, not kept any more; null when there is none.
  kept_mapping* next_to_go() noexcept;

  std::size_t bytes() const noexcept { return bytes_; }

 private:
  static constexpr std::size_t smallest_log2 = 18;
  static constexpr std::size_t largest_log2 = 47;
  static constexpr std::size_t steps_per_doubling = 8;
  static constexpr std::size_t bin_count = (largest_log2 - smallest_log2 + 1) * steps_per_doubling;
  static constexpr std::size_t bin_words = (bin_count + 63) / 64;
  static constexpr int looked_at = 8;  // of a bin

  static std::size_t bin_of(std::size_t bytes) noexcept;
  std::size_t next_bin(std::size_t bin) const noexcept;
  void remove(kept_mapping* m) noexcept;
  void look_for_gone(std::size_t least, std::size_t most) noexcept;
  void note_gone(std::size_t bytes) noexcept;

  idle_policy idle_;  // in bytes
  std::size_t bytes_ = 0;
  std::size_t may_stay_ = 0;
  kept_mapping* oldest_ = nullptr;  // its `older` is the newest
  std::array<std::uint64_t, bin_words> has_some_{};
  std::array<kept_mapping*, bin_count> bins_{};  // the newest of each
  // What was given back last, as long as nobody has asked for the like since.
  std::array<std::size_t, 16> gone_{};
  std::size_t next_gone_ = 0;
};

}  // namespace mallard::inline v1::detail
