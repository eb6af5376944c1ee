// Purpose: chooses samples of allocations, at random, of every thread: one in so many bytes for the
// heap profile, and one in so many calls to be guarded.
//
// The hot paths of malloc look up a request's magazine in a table; without samples no instruction
// is spent on them. While samples are taken, the entries of small blocks name portions instead:
// blocks that have left the thread's magazine, and were counted, before they are asked for. Only an
// empty portion leads to the slow path, which counts the next one. The entries of other blocks name
// a magazine without blocks, so that each malloc takes the slow path, is counted, and gets a block
// of its magazine after all. Free, which reads the class from the block's slice, is not affected.
//
// Gaps between samples are drawn from an exponential distribution: each byte is as likely to be
// sampled as any other, and samples stand for the rest without bias. That holds for each class by
// itself, so each class that has portions counts for itself. A request counts as many bytes as its
// block has.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "malloc/malloc_classes.hpp"

namespace mallard::inline v1::detail {

// As magazine_by_block, or while samples are taken portions. Changes while others read it.
[[gnu::visibility("hidden")]] extern constinit std::array<
    std::uint8_t, largest_class_bytes / malloc_alignment + 1> magazine_at_hand;

// Requires bytes <= largest_class_request.
MALLARD_ALWAYS_INLINE std::size_t magazine_at_hand_of(std::size_t bytes) noexcept {
  return magazine_at_hand[(bytes + canary_bytes + malloc_alignment - 1) / malloc_alignment];
}

inline bool are_portions_named() noexcept {
  return magazine_at_hand[0] >= magazine_count;
}

// A new number for each change of the settings.
[[gnu::visibility("hidden")]] extern constinit std::atomic<std::uint32_t> sampling_period;

class sample_counter {
 public:
  // Counts a request. Returns whether `take_due` has something to decide.
  MALLARD_ALWAYS_INLINE bool count(std::size_t bytes) noexcept {
    const std::uint32_t period = sampling_period.load(std::memory_order_relaxed);
    if (period == 0) return false;
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

  // Counts up to `most` requests that will come, none of which is a sample. Returns how many.
  std::size_t count_ahead(std::size_t bytes, std::size_t most) noexcept;
  // Some of them did not come.
  void take_back(std::size_t bytes, std::size_t count) noexcept {
    bytes_left_ += static_cast<std::int64_t>(bytes * count);
    calls_left_ += static_cast<std::int32_t>(count);
  }

 private:
  std::int64_t bytes_left_ = INT64_MAX;
  std::int32_t calls_left_ = INT32_MAX;
  std::uint32_t period_ = 0;
};
// Counts requests that have no portions, and those of a thread without a heap.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local sample_counter sampling;

// The bytes that a request counts.
inline std::size_t sampled_bytes(std::size_t request) noexcept {
  return request <= largest_extended_request ? block_bytes_of(any_class_of(request)) : request;
}

// From now on one in `mean_bytes` bytes is a sample; 0: none.
void set_samples(std::size_t mean_bytes) noexcept;
// From now on one in `mean_calls` calls is guarded; 0: none.
void set_guarded_samples(std::size_t mean_calls) noexcept;
std::size_t mean_bytes_of_samples() noexcept;

// The number of such requests that a sample stands for.
double requests_per_sample(std::size_t request) noexcept;

}  // namespace mallard::inline v1::detail
