// Purpose: blocks between the largest size class and a huge one.
//
// A space is a fit_heap over segments, runs of words of slices that it takes from the supply. Its
// lock guards all of it. There are a few spaces, chosen by the thread's heap, so that threads
// seldom meet; the mark of a block's slice names its space. The lock is not held while the system
// or the supply works: free blocks on their way to the system count as in use meanwhile. The budget
// decides how much freed memory stays; what goes is purged in place, and segments without blocks go
// to the supply.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include "mallard/detail/core/fit_heap.hpp"
#include "mallard/detail/pages/idle_decay.hpp"
#include "mallard/detail/pages/memory_budget.hpp"
#include "mallard/detail/pages/slice_supply.hpp"
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
  constexpr large_space(slice_supply& supply, memory_budget& budget, slice_mark mark) noexcept
      : supply_(supply),
        budget_(&budget),
        account_(budget.parts_of_slices[mark.space_index()]),
        mark_(mark) {}
  // The space of a program's own heap, which may keep so much.
  constexpr large_space(slice_supply& supply, memory_budget::account& account, slice_mark mark,
                        std::size_t most_kept) noexcept
      : supply_(supply), account_(account), mark_(mark), most_kept_(most_kept) {}

  // Null when the system refuses. `alignment` is a power of two. `is_zero` as in fit_heap.
  void* allocate(std::size_t bytes, std::size_t alignment, bool* is_zero = nullptr) noexcept;
  // The same without more memory from the supply.
  void* allocate_of_free(std::size_t bytes, std::size_t alignment,
                         bool* is_zero = nullptr) noexcept {
    const holding hold(lock_);
    return take(bytes, alignment, is_zero);
  }
  // Everything behind the first `unpurged` bytes is zero and has no memory.
  void deallocate(void* p, std::size_t unpurged = SIZE_MAX) noexcept;

  // Without the lock: a flag beside the size may change meanwhile, when the block before it does.
  __attribute__((no_sanitize("thread"))) static std::size_t payload_bytes(void* p) noexcept {
    const std::size_t word = __atomic_load_n(&fit_block::of(p)->bytes_and_flags, __ATOMIC_RELAXED);
    return (word & ~std::size_t{fit_block::flags}) - sizeof(fit_block::prev_bytes);
  }
  // Clears the words of a block that is zero except for them.
  static void clear_ends(void* p) noexcept {
    std::memset(p, 0, 2 * sizeof(std::size_t));
    std::memset(static_cast<std::byte*>(p) + payload_bytes(p) - sizeof(std::size_t), 0,
                sizeof(std::size_t));
  }
  // Makes the block `bytes` large where it is. False when there is no room.
  bool resize(void* p, std::size_t bytes) noexcept;

  // Give memory back to the system, and segments without blocks to the supply: `decay` half of what
  // nobody needed for a second, and a few of the segments whose memory is gone; `keep_to_budget`
  // what may not be kept; `trim` all. `trim` returns whether there was any.
  void decay() noexcept;
  void keep_to_budget() noexcept;
  bool trim() noexcept;
  // Gives the supply a part of the free memory that is kept: the whole words of a block, little
  // more than `bytes`. False when there are none, or others give memory back.
  bool give_words(std::size_t bytes) noexcept;
  // Gives back everything, with the blocks in use. No other call may be in flight.
  void release() noexcept;
  space_usage usage() noexcept;
  // The first lock is held while memory is given back, and is taken before the other one.
  futex_lock& purge_lock() noexcept { return purge_lock_; }
  futex_lock& lock() noexcept { return lock_; }

 private:
  static constexpr std::size_t segment_header_bytes = 64;
  // A free block of so many bytes contains a whole word.
  static constexpr std::size_t surely_one_word =
      2 * slice_supply::word_bytes + 4 * segment_header_bytes;
  struct segment {  // at its own start
    segment* next;
    std::size_t bytes;
    std::size_t unpurged = 0;  // of one that goes: what is behind them has no memory

    std::byte* at(std::size_t offset) noexcept {
      return reinterpret_cast<std::byte*>(this) + offset;
    }
    std::size_t offset_of(const void* p) const noexcept { return address_of(p) - address_of(this); }
    bool contains(const void* p) const noexcept { return offset_of(p) < bytes; }
  };
  struct run {
    std::byte* begin;
    std::size_t bytes;
    bool is_fresh;
  };
  static constexpr std::size_t most_step_bytes = std::size_t{8} << 20;
  // So many free blocks, and segments, at a time: whoever frees a block waits for no more.
  static constexpr std::size_t most_purged = 32;
  static constexpr std::size_t most_looked_at = 16;

  // Require the lock.
  void* take(std::size_t bytes, std::size_t alignment, bool* is_zero) noexcept;
  bool has_extended(const run& r) noexcept;
  void add(const run& r) noexcept;
  segment* remove_empty(std::size_t most_looked_at, bool only_purged = false) noexcept;
  segment* take_out(fit_block* b, std::size_t most, segment* gone) noexcept;
  segment* take_out_words(segment* gone) noexcept;
  // Requires that the lock is free.
  void put_back(segment* gone) noexcept;
  std::size_t idle_bytes() const noexcept { return account_.kept.load(std::memory_order_relaxed); }
  void publish() noexcept;
  std::size_t may_keep() noexcept {
    return budget_ == nullptr ? most_kept_ : budget_->may_keep(idle_bytes());
  }

  run take_run(std::size_t least, std::size_t roomy) noexcept;
  void give_back_for(std::size_t freed_bytes) noexcept;
  void purge_if_nobody_does(std::size_t to_keep) noexcept;
  // Requires the purge lock. False when nothing was left to give back.
  bool purge_some(std::size_t to_keep) noexcept;

  slice_supply& supply_;
  memory_budget* budget_ = nullptr;
  memory_budget::account& account_;
  slice_mark mark_;
  futex_lock purge_lock_;
  futex_lock lock_;
  fit_heap heap_;
  segment* segments_ = nullptr;
  segment** next_looked_at_ = nullptr;  // by `remove_empty`; null: the first
  std::size_t segment_total_ = 0;
  std::size_t under_way_ = 0;  // free blocks on their way to the system
  std::size_t most_kept_ = 0;  // without a budget
  idle_decay idle_;            // of bytes
};

inline constexpr std::size_t space_count = slice_mark::most_spaces;
static_assert(space_count <= memory_budget::most_parts);

}  // namespace mallard::inline v1::detail
