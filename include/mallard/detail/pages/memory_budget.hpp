// Purpose: limits how much memory all parts of an engine together take from the system, and how
// much of that they keep unused.
//
// Memory that is kept counts as taken until the system has it back. The parts together keep what
// was in use lately up to 128 MiB, or a quarter of it if that is more, but at least 64 MiB and at
// most 256 MiB; pages of slabs have as much of their own, so that neither starves the other. Where
// the process may have little memory, as in a container, either is an eighth of that at most.
// Memory counts by its addresses. While the process never had more resident than may be kept, the
// parts keep everything: a program that hardly touches its blocks has nothing to give back. So one
// that frees memory and allocates it again soon does not pay for its pages each time, and one that
// is idle holds little. Each part writes only its own account; the sums are approximate, because
// nobody stops the others to read theirs. Each part also has an `idle_decay`, by which what it
// keeps goes back as time passes.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/os/memory_amounts.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {

class memory_budget {
 public:
  static constexpr std::size_t none = SIZE_MAX;

  // In bytes. A part takes its memory from the slices, whose account has it in use; its own account
  // counts only what it keeps of that unused.
  struct account {
    std::atomic<std::size_t> in_use{0};
    std::atomic<std::size_t> kept{0};
  };
  account slices;
  account mappings;
  // Pages of slabs that no block touches. Slabs are in use, these pages are not.
  std::atomic<std::size_t> kept_in_slabs{0};
  static constexpr std::size_t most_parts = 4;
  std::array<account, most_parts> parts_of_slices;

  // For `set_most_kept`: as the top of this file says.
  static constexpr std::size_t by_use = none - 1;

  using resident = std::size_t (*)() noexcept;  // bytes

  explicit constexpr memory_budget(std::size_t most_kept, resident peak = os::peak_resident_bytes,
                                   resident most_memory = os::most_memory) noexcept
      : peak_resident_(peak), most_memory_(most_memory), most_kept_(most_kept) {}

  bool is_set() const noexcept { return limit_.load(std::memory_order_relaxed) != none; }

  // False if the limit would be exceeded; a refused request is not charged.
  bool take(std::size_t bytes) noexcept {
    const std::size_t limit = limit_.load(std::memory_order_relaxed);
    std::size_t taken = taken_.load(std::memory_order_relaxed);
    do {
      if (taken > limit || bytes > limit - taken) return false;
    } while (!taken_.compare_exchange_weak(taken, taken + bytes, std::memory_order_relaxed));
    return true;
  }
  void give(std::size_t bytes) noexcept { taken_.fetch_sub(bytes, std::memory_order_relaxed); }

  // `uncounted` bytes were taken while there was no limit.
  void set(std::size_t bytes, std::size_t uncounted) noexcept {
    if (!is_set()) taken_.fetch_add(uncounted, std::memory_order_relaxed);
    limit_.store(bytes, std::memory_order_relaxed);
    if (!is_set()) give(uncounted);
  }

  // From now on all parts together keep at most so much, whatever is in use; or `by_use`.
  void set_most_kept(std::size_t bytes) noexcept {
    most_kept_.store(bytes, std::memory_order_relaxed);
  }
  // Where addresses are few, what is kept stands in the way of blocks of other sizes: then no more
  // than the least is kept of a small program.
  void expect_few_addresses() noexcept {
    whole_peak_to_.store(least_most_kept, std::memory_order_relaxed);
  }
  // The bytes that a part may keep beside what the others keep, if it keeps `mine` now.
  std::size_t may_keep(std::size_t mine) noexcept {
    const std::size_t all = kept_by_parts();
    const std::size_t most = most_kept();
    return all > most / 2 && is_hardly_touched(most) ? everything : beside(all, mine, most);
  }
  // The same for pages of slabs, of which `mine` are the caller's.
  std::size_t may_keep_in_slabs(std::size_t mine) const noexcept {
    return beside(kept_in_slabs.load(std::memory_order_relaxed), mine, most_kept());
  }
  // How far to go down from `kept` when that is more than `may`: by little more than what was
  // freed, so that whoever frees it waits for no more, and so far that the next free does not
  // exceed it again. Others may be behind.
  static constexpr std::size_t rest_of(std::size_t may, std::size_t kept,
                                       std::size_t freed) noexcept {
    return std::clamp(kept - std::min(kept, freed + portion_bytes), may - may / 8, may + may / 8);
  }
  static constexpr std::size_t portion_bytes = std::size_t{1} << 20;

  // Whether the process ever had half as much resident as there is in slices in use. Where the
  // amount to keep is set, nobody asks the system.
  bool touches_its_slices() const noexcept {
    return !keeps_by_use() || peak_resident_() >= slices.in_use.load(std::memory_order_relaxed) / 2;
  }

  // In bytes.
  std::size_t kept() const noexcept {
    return kept_by_parts() + kept_in_slabs.load(std::memory_order_relaxed);
  }
  std::size_t in_use() const noexcept {
    const std::size_t taken = slices.in_use.load(std::memory_order_relaxed) +
                              mappings.in_use.load(std::memory_order_relaxed);
    const std::size_t unused = kept_in_slices() + kept_in_slabs.load(std::memory_order_relaxed);
    return taken - std::min(taken, unused);
  }
  // Call it at first, since it reads files, which a program may forbid itself later.
  void look_at_memory() noexcept {
    ceiling_.store(std::max(most_memory_() / 8, least_ceiling), std::memory_order_relaxed);
    most_addresses();
  }
  // The addresses that the process may have; SIZE_MAX where there is no limit. `most_addresses`
  // asks the system once. Call the other only when the system has refused memory: a sandbox may end
  // the program for it.
  std::size_t most_addresses() noexcept {
    const std::size_t known = most_addresses_.load(std::memory_order_relaxed);
    return known != 0 ? known : look_at_addresses();
  }
  std::size_t look_at_addresses() noexcept {
    const std::size_t most = os::most_addresses();
    most_addresses_.store(most, std::memory_order_relaxed);
    return most;
  }
  // Call `note_use` before much is freed, and `forget_peak` about once a second: it lowers the peak
  // by an eighth of what is above the present use, so by half in five seconds.
  void note_use() noexcept {
    const std::size_t now = in_use();
    if (now > peak_.load(std::memory_order_relaxed)) peak_.store(now, std::memory_order_relaxed);
  }
  void forget_peak() noexcept {
    const std::size_t peak = peak_.load(std::memory_order_relaxed);
    const std::size_t above = peak - std::min(peak, in_use());
    peak_.store(peak - above / 8, std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t least_most_kept = std::size_t{64} << 20;
  static constexpr std::size_t greatest_most_kept = std::size_t{256} << 20;
  static constexpr std::size_t everything = SIZE_MAX / 2;
  static constexpr std::size_t least_ceiling = std::size_t{8} << 20;
  static constexpr unsigned milliseconds_between_looks = 16;

  // Asks the system at most every few milliseconds.
  bool is_hardly_touched(std::size_t most) noexcept {
    // Where addresses are limited, those that are kept are missing elsewhere.
    if (!keeps_by_use() || most_addresses() != SIZE_MAX) return false;
    const auto now = static_cast<unsigned>(os::milliseconds() / milliseconds_between_looks);
    if (looked_at_.load(std::memory_order_relaxed) != now) {
      looked_at_.store(now, std::memory_order_relaxed);
      resident_.store(peak_resident_(), std::memory_order_relaxed);
    }
    return resident_.load(std::memory_order_relaxed) <= most;
  }

  bool keeps_by_use() const noexcept {
    return most_kept_.load(std::memory_order_relaxed) == by_use && !is_set();
  }
  // By parts whose slices are in use by their account.
  std::size_t kept_in_slices() const noexcept {
    std::size_t bytes = 0;
    for (const account& part : parts_of_slices) bytes += part.kept.load(std::memory_order_relaxed);
    return bytes;
  }
  std::size_t kept_by_parts() const noexcept {
    return kept_in_slices() + slices.kept.load(std::memory_order_relaxed) +
           mappings.kept.load(std::memory_order_relaxed);
  }
  static std::size_t beside(std::size_t all, std::size_t mine, std::size_t most) noexcept {
    return most - std::min(most, all - std::min(all, mine));
  }
  std::size_t most_kept() const noexcept {
    const std::size_t most = most_kept_.load(std::memory_order_relaxed);
    if (most != by_use) return most;
    const std::size_t peak = peak_.load(std::memory_order_relaxed);
    // The accounts lag behind each other, so there is a little more than the whole peak.
    const std::size_t all_of_little =
        std::min(peak + least_most_kept / 2, whole_peak_to_.load(std::memory_order_relaxed));
    return std::min(
        std::clamp(std::max(peak / 4, all_of_little), least_most_kept, greatest_most_kept),
        ceiling_.load(std::memory_order_relaxed));
  }

  resident peak_resident_;
  resident most_memory_;
  std::atomic<std::size_t> taken_{0};
  std::atomic<std::size_t> limit_{none};
  std::atomic<std::size_t> most_kept_;
  std::atomic<std::size_t> peak_{0};
  std::atomic<std::size_t> whole_peak_to_{2 * least_most_kept};
  std::atomic<std::size_t> ceiling_{none};      // none: nobody has looked
  std::atomic<std::size_t> most_addresses_{0};  // 0: nobody has looked
  std::atomic<unsigned> looked_at_{0};
  std::atomic<std::size_t> resident_{SIZE_MAX};  // the peak, when we looked
};

}  // namespace mallard::inline v1::detail
