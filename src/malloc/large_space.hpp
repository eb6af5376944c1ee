// Purpose: blocks between the largest size class and a huge one: segments that are split and
// coalesced, behind a lock. There are a few spaces, so that threads seldom meet.
#pragma once

#include <array>
#include <cstddef>

#include "mallard/detail/core/fit_heap.hpp"
#include "malloc/idle_policy.hpp"
#include "malloc/lock.hpp"
#include "malloc/region.hpp"

namespace mallard::inline v1::detail {

struct space_usage {
  std::size_t blocks = 0;
  std::size_t in_use_bytes = 0;
  std::size_t reserved_bytes = 0;
};

class large_space {
 public:
  // Null when the system refuses. `alignment` is a power of two.
  void* allocate(std::size_t bytes, std::size_t alignment, slice_mark mark) noexcept;
  void deallocate(void* p) noexcept;

  // Without the lock: a flag beside the size may change meanwhile, with the block before.
  __attribute__((no_sanitize("thread"))) static std::size_t payload_bytes(void* p) noexcept {
    const std::size_t word = __atomic_load_n(&fit_block::of(p)->bytes_and_flags, __ATOMIC_RELAXED);
    return (word & ~std::size_t{fit_block::flags}) - sizeof(fit_block::prev_bytes);
  }
  // Makes the block `bytes` large where it is. False when there is no room.
  bool resize(void* p, std::size_t bytes) noexcept;

  void set_idle_limit(std::size_t bytes) noexcept;
  // Gives idle memory back to the system, and segments without blocks to the supply.
  void trim() noexcept;
  space_usage usage() noexcept;
  futex_lock& lock() noexcept { return lock_; }

 private:
  struct segment {  // at its own start
    segment* next;
    std::size_t bytes;
  };
  static constexpr std::size_t segment_header_bytes = 64;
  static constexpr std::size_t most_step_bytes = std::size_t{8} << 20;
  static constexpr std::size_t purged_bytes = std::size_t{64} << 10;  // at a time, at least

  bool grow(std::size_t bytes, slice_mark mark) noexcept;
  void purge() noexcept;
  void give_all() noexcept;
  void freed(std::size_t bytes) noexcept;
  void reused(std::size_t bytes) noexcept;

  futex_lock lock_;
  fit_heap heap_;
  segment* segments_ = nullptr;
  std::size_t segment_total_ = 0;
  std::size_t idle_bytes_ = 0;  // freed and not reused since pages were given back, about
  idle_policy idle_{std::size_t{8} << 20};
};

inline constexpr std::size_t space_count = slice_mark::most_spaces;
extern constinit std::array<large_space, space_count> the_spaces;

// About how much free memory is kept for later, by the supply, by each of the spaces, and of huge
// blocks.
void set_idle_limits(std::size_t bytes) noexcept;

inline large_space& space_of_mark(slice_mark mark) noexcept {
  return the_spaces[mark.space_index()];
}

}  // namespace mallard::inline v1::detail
