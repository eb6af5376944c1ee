// Purpose: the samples of the heap: for each stack what it allocated, and what of that lives.
//
// One lock guards two tables: stacks, which stay for ever, and the sampled blocks that live, by
// address. Sampled blocks lie among the blocks without a size class: freeing one of these is no hot
// path, so it can look up the address.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "malloc/call_stack.hpp"
#include "malloc/lock.hpp"
#include "malloc/reserved_array.hpp"

namespace mallard::inline v1::detail {

class user_heap;

// Estimates; blocks are counted in 65,536ths, so that what was added can be taken away again.
struct sampled_sums {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
};

struct sampled_block {
  const void* address = nullptr;  // null: none
  const user_heap* heap = nullptr;
  std::uint32_t stack = 0;
  sampled_sums stands_for;
};

struct sampled_stack {
  std::uint64_t hash;
  std::uint32_t first_frame;
  std::uint32_t frames;
  sampled_sums allocated;
  sampled_sums live;
};

class heap_profile {
 public:
  static constexpr std::uint64_t one_block = 65'536;
  // Further ones count as one, without frames.
  static constexpr std::size_t most_stacks = std::size_t{1} << 16;
  static constexpr std::size_t most_frames = std::size_t{1} << 21;

  constexpr heap_profile() noexcept = default;

  // Takes memory for the tables; false when there is none.
  bool open() noexcept;
  bool is_open() const noexcept { return is_open_.load(std::memory_order_acquire); }

  // Adds a sample, for which `bytes` were asked. Without memory it is not recorded.
  void add(const void* p, std::size_t bytes, const user_heap* heap,
           const call_stack& from) noexcept;
  // Removes a block that was freed, before others can get its room. With `nested`, as slow_path has
  // it, it may stay recorded.
  void freed(const void* p, bool nested) noexcept {
    if (live_blocks_.load(std::memory_order_relaxed) != 0) [[unlikely]] {
      take(p, nested);
    }
  }
  // The same for a block that may be put back.
  sampled_block take(const void* p, bool nested) noexcept;
  void put(const sampled_block& block) noexcept;
  // Removes all blocks of a heap that is about to be destroyed.
  void forget_all_of(const user_heap& heap) noexcept;

  std::uint64_t live_bytes() const noexcept { return live_bytes_.load(std::memory_order_relaxed); }

  // A copy of the present state, whose frames stay valid.
  struct snapshot {
    std::span<const sampled_stack> stacks;
    std::span<const std::uint64_t> frames;
  };
  // Copies as many stacks as there is place for.
  snapshot take_snapshot(std::span<sampled_stack> place) noexcept;
  std::size_t stacks() const noexcept { return stacks_.size(); }

  futex_lock& lock() noexcept { return lock_; }

 private:
  std::uint32_t stack_of(const call_stack& from) noexcept;
  bool make_room() noexcept;
  sampled_block* place_of(const void* p) noexcept;
  void insert(const sampled_block& block) noexcept;
  void erase(sampled_block* at) noexcept;
  std::size_t home_of(const void* p) const noexcept;

  futex_lock lock_;
  std::atomic<bool> is_open_{false};
  reserved_array<sampled_stack> stacks_;
  reserved_array<std::uint64_t> frames_;
  reserved_array<std::uint32_t> index_;  // by hash: numbers of stacks, 0 for none
  sampled_block* blocks_ = nullptr;      // open addressing
  std::size_t places_ = 0;               // a power of two
  std::size_t used_ = 0;
  std::atomic<std::size_t> live_blocks_{0};
  std::atomic<std::uint64_t> live_bytes_{0};
};

extern constinit heap_profile the_profile;

}  // namespace mallard::inline v1::detail
