// Purpose: chooses samples of allocations, at random, of every thread: one in so many bytes for the
// heap profile, and one in so many calls to be guarded.
//
// The hot paths of malloc look up a request's class in a table. While samples are taken, every
// entry of that table is a class without a magazine. So every malloc finds nothing at hand and
// takes its slow path, which counts the bytes and takes the block from the magazine after all;
// without samples no instruction is spent on them. Free, which reads the class from the block's
// slice, is not affected.
//
// Gaps between samples are drawn from an exponential distribution: each byte is as likely to be
// sampled as any other, and samples stand for the rest without bias.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "malloc/malloc_classes.hpp"

namespace mallard::inline v1::detail {

// As magazine_by_block, or everywhere the magazine without blocks. Changes while others read it.
[[gnu::visibility("hidden")]] extern constinit std::array<
    std::uint8_t, largest_class_bytes / malloc_alignment + 1> magazine_at_hand;

// Requires bytes <= largest_class_request.
MALLARD_ALWAYS_INLINE std::size_t magazine_at_hand_of(std::size_t bytes) noexcept {
  return magazine_at_hand[(bytes + canary_bytes + malloc_alignment - 1) / malloc_alignment];
}

// A new number for each change of the settings.
[[gnu::visibility("hidden")]] extern constinit std::atomic<std::uint32_t> sampling_period;

class thread_sampling {
 public:
  // Counts a request. Returns whether `take_due` has something to decide.
  MALLARD_ALWAYS_INLINE bool count(std::size_t bytes) noexcept {
    const std::uint32_t period = sampling_period.load(std::memory_order_relaxed);
    if (period == 0) return false;  // none was ever wanted
    bytes_left_ -= static_cast<std::int64_t>(bytes);
    --calls_left_;
    return (bytes_left_ | calls_left_) < 0 || period_ != period;
  }
  // Tells for what the last counted request is a sample.
  struct due {
    bool profile = false;
    bool guard = false;
  };
  due take_due(std::size_t bytes) noexcept;

 private:
  std::int64_t next_gap(std::size_t mean) noexcept;

  std::int64_t bytes_left_ = INT64_MAX;
  std::int64_t calls_left_ = INT64_MAX;
  std::uint32_t period_ = 0;
  std::uint64_t random_ = 0;
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local thread_sampling sampling;

// From now on one in `mean_bytes` bytes is a sample; 0: none.
void set_samples(std::size_t mean_bytes) noexcept;
// From now on one in `mean_calls` calls is guarded; 0: none.
void set_guarded_samples(std::size_t mean_calls) noexcept;
std::size_t mean_bytes_of_samples() noexcept;

// The number of such blocks that a sample of so many bytes stands for.
double blocks_per_sample(std::size_t bytes) noexcept;

}  // namespace mallard::inline v1::detail
