// Purpose: keeps free mappings for reuse, so that a program that maps and unmaps again and again
// does not pay the system each time.
//
// Each mapping's header lies in its own first page, and links it into a bin of its size, eight for
// each doubling, and into one ring by age. A bitmap finds the next bin that has one, and at most
// eight of a bin are inspected, so everything is O(1) beside the system's work. The budget decides
// how much stays, and no more than 4,096 mappings do, since the system limits their number; the
// oldest go first. The lock is free while the system works.
// Thread-safe: a caller that cannot get the lock for long does without, since its own thread may
// hold it, interrupted by a signal handler.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/core/ring.hpp"
#include "mallard/detail/pages/idle_decay.hpp"
#include "mallard/detail/pages/memory_budget.hpp"
#include "mallard/detail/pages/page_client.hpp"

namespace mallard::inline v1::detail {

class kept_mappings {
 public:
  // A mapping counts in the budget until it goes back to the system.
  explicit constexpr kept_mappings(memory_budget& budget,
                                   idle_decay::clock milliseconds = os::milliseconds) noexcept
      : budget_(budget), idle_(milliseconds) {}
  kept_mappings(const kept_mappings&) = delete;
  kept_mappings& operator=(const kept_mappings&) = delete;

  // Rounds up to the next step, of which there are eight for each doubling.
  static std::size_t step_of(std::size_t bytes) noexcept;

  // A mapping of at least `least` bytes and at most `most`; null when there is none.
  void* take(std::size_t least, std::size_t most) noexcept;
  // Keeps a mapping whose first page is warm, or gives it back.
  void give(void* p, std::size_t bytes) noexcept;

  // `decay` gives back half of what nobody needed for a second, `keep_to_budget` what the budget
  // does not let it keep, `trim` everything; it returns the bytes.
  void decay() noexcept;
  void keep_to_budget() noexcept { shrink_to(budget_.may_keep(bytes())); }
  std::size_t trim() noexcept { return shrink_to(0); }
  void unmap(void* p, std::size_t bytes) noexcept;

  std::size_t bytes() const noexcept {
    return budget_.mappings.kept.load(std::memory_order_relaxed);
  }
  std::size_t unmaps() const noexcept { return unmaps_.load(std::memory_order_relaxed); }
  page_lock& lock() noexcept { return lock_; }

 private:
  struct mapping {  // at its own start, which the giver has just used
    mapping* bin_next;
    mapping* bin_prev;
    mapping* newer;
    mapping* older;
    std::size_t bytes;
  };
  using bin_ring = ring<mapping, &mapping::bin_next, &mapping::bin_prev>;
  using age_ring = ring<mapping, &mapping::newer, &mapping::older>;

  static constexpr std::size_t smallest_log2 = 18;
  static constexpr std::size_t largest_log2 = 47;
  static constexpr std::size_t steps_per_doubling = 8;
  static constexpr std::size_t bin_count = (largest_log2 - smallest_log2 + 1) * steps_per_doubling;
  static constexpr std::size_t bin_words = (bin_count + 63) / 64;
  static constexpr int looked_at = 8;  // of a bin
  static constexpr std::size_t most_mappings = 4096;

  static std::size_t bin_of(std::size_t bytes) noexcept;
  bool lock_soon() noexcept;
  // Require the lock.
  std::size_t next_bin(std::size_t bin) const noexcept;
  mapping* find(std::size_t least, std::size_t most) const noexcept;
  void add(void* p, std::size_t bytes) noexcept;
  void remove(mapping* m) noexcept;
  // Requires that the lock is free.
  std::size_t shrink_to(std::size_t bytes, std::size_t enough = SIZE_MAX) noexcept;

  memory_budget& budget_;
  page_lock lock_;
  idle_decay idle_;  // of bytes
  std::atomic<std::size_t> unmaps_{0};
  std::size_t count_ = 0;
  mapping* oldest_ = nullptr;  // its `older` is the newest
  std::array<std::uint64_t, bin_words> has_some_{};
  std::array<mapping*, bin_count> bins_{};  // the newest of each
};

}  // namespace mallard::inline v1::detail
