// Purpose: the numbers of a counting resource: one thread writes them, any thread may read them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mallard/checks/allocation_counts.hpp"
#include "mallard/detail/atomic.hpp"
#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/size_classes.hpp"

namespace mallard::inline v1::detail {

// The size classes of the pools, and one for all larger sizes.
inline constexpr unsigned counted_classes = class_count + 1;

MALLARD_ALWAYS_INLINE unsigned counted_class(std::size_t bytes) noexcept {
  if (is_looked_up(bytes)) [[likely]] {
    return class_by_granule[(bytes - 1) / 8];
  }
  if (bytes == 0) return 0;
  return is_pooled(bytes) ? computed_class(bytes) : class_count;
}

// The writers of a number: one thread, with a load and a store, or several, by atomic additions.
enum class writers { one, many };

class tally {
 public:
  std::uint64_t get() const noexcept { return value_.load(order::relaxed); }
  void set(std::uint64_t to) noexcept { value_.store(to, order::relaxed); }
  // `more` may be negative, modulo 2^64.
  template <writers By>
  MALLARD_ALWAYS_INLINE std::uint64_t add(std::uint64_t more) noexcept {
    if constexpr (By == writers::many) return value_.fetch_add(more, order::relaxed) + more;
    const std::uint64_t sum = get() + more;
    set(sum);
    return sum;
  }
  // Negative numbers are smaller.
  template <writers By>
  MALLARD_ALWAYS_INLINE void raise_to(std::uint64_t n) noexcept {
    std::uint64_t seen = get();
    const auto is_higher = [&] {
      return static_cast<std::int64_t>(seen) < static_cast<std::int64_t>(n);
    };
    if constexpr (By == writers::one) {
      if (is_higher()) set(n);
      return;
    }
    while (is_higher() && !value_.compare_exchange_weak(seen, n, order::relaxed, order::relaxed)) {
    }
  }

 private:
  atomic<std::uint64_t> value_{0};
};

struct counted_totals {
  allocation_counts counts;
  std::uint64_t allocations[counted_classes] = {};
  std::uint64_t deallocations[counted_classes] = {};
};

// The calls are the sums over the classes.
struct counting_cell {
  tally in_use_blocks;  // of a cell of several: the difference this thread made, modulo 2^64
  tally in_use_bytes;
  tally total_bytes;
  tally largest_bytes;
  tally largest_alignment;
  tally peak_blocks;
  tally peak_bytes;
  tally allocations[counted_classes];
  tally deallocations[counted_classes];

  template <writers By = writers::one>
  MALLARD_ALWAYS_INLINE void on_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    allocations[counted_class(bytes)].add<By>(1);
    total_bytes.add<By>(bytes);
    largest_bytes.raise_to<By>(bytes);
    largest_alignment.raise_to<By>(alignment);
    peak_blocks.raise_to<By>(in_use_blocks.add<By>(1));
    peak_bytes.raise_to<By>(in_use_bytes.add<By>(bytes));
  }

  template <writers By = writers::one>
  MALLARD_ALWAYS_INLINE void on_deallocate(std::size_t bytes) noexcept {
    deallocations[counted_class(bytes)].add<By>(1);
    in_use_blocks.add<By>(~std::uint64_t{0});
    in_use_bytes.add<By>(0 - std::uint64_t{bytes});
  }

  // Effects: adds what is counted here, except for the peaks.
  void add_to(counted_totals& sum) const noexcept;
};

}  // namespace mallard::inline v1::detail
