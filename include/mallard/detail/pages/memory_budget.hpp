// Purpose: limits how much memory all parts of an engine together take from the system, and how
// much of that they keep unused.
//
// Memory that is kept counts as taken until the system has it back. The parts may keep a quarter of
// the most that was in use lately, at least 64 MiB and at most 256 MiB. With less, a small program
// that frees and allocates a block of 20 MiB in turns would pay for its pages each time. Each part
// writes only its own account; the sums are approximate, because nobody stops the others to read
// theirs. An `idle_policy` decides how much of its share a part really keeps.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

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
  // Pages of slabs without a block, kept because they would soon be touched again. Slabs are in
  // use, so these pages have an allowance of their own, as large as that of the others.
  std::atomic<std::size_t> kept_in_slabs{0};
  static constexpr std::size_t most_parts = 4;
  std::array<account, most_parts> parts_of_slices;

  // Without `is_capped`, any amount may be kept.
  explicit constexpr memory_budget(bool is_capped = false) noexcept
      : most_kept_(is_capped ? by_use : none) {}

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

  // From now on all parts together keep at most so much, whatever is in use.
  void set_most_kept(std::size_t bytes) noexcept {
    most_kept_.store(bytes, std::memory_order_relaxed);
  }
  // Bytes that the part with this account may keep beside what the others keep.
  std::size_t may_keep(const account& mine) const noexcept {
    return beside(kept() - mine.kept.load(std::memory_order_relaxed));
  }
  // The same for pages of slabs, of which `mine` are the caller's.
  std::size_t may_keep_in_slabs(std::size_t mine) const noexcept {
    return beside(kept_in_slabs.load(std::memory_order_relaxed) - mine);
  }

  // In bytes, of all parts.
  std::size_t kept() const noexcept {
    return kept_in_slices() + slices.kept.load(std::memory_order_relaxed) +
           mappings.kept.load(std::memory_order_relaxed);
  }
  std::size_t in_use() const noexcept {
    const std::size_t taken = slices.in_use.load(std::memory_order_relaxed) +
                              mappings.in_use.load(std::memory_order_relaxed);
    return taken - std::min(taken, kept_in_slices());
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
  static constexpr std::size_t by_use = none - 1;
  static constexpr std::size_t least_most_kept = std::size_t{64} << 20;
  static constexpr std::size_t greatest_most_kept = std::size_t{256} << 20;

  std::size_t kept_in_slices() const noexcept {
    std::size_t bytes = 0;
    for (const account& part : parts_of_slices) bytes += part.kept.load(std::memory_order_relaxed);
    return bytes;
  }
  // The part of what may be kept that others leave.
  std::size_t beside(std::size_t others) const noexcept {
    const std::size_t most = most_kept();
    return most == none ? none : most - std::min(most, others);
  }
  std::size_t most_kept() const noexcept {
    const std::size_t most = most_kept_.load(std::memory_order_relaxed);
    return most != by_use ? most
                          : std::clamp(peak_.load(std::memory_order_relaxed) / 4, least_most_kept,
                                       greatest_most_kept);
  }

  std::atomic<std::size_t> taken_{0};
  std::atomic<std::size_t> limit_{none};
  std::atomic<std::size_t> most_kept_;
  std::atomic<std::size_t> peak_{0};
};

}  // namespace mallard::inline v1::detail
