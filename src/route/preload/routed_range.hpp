// Purpose: the one range of addresses that all routed blocks lie in, and whose runs of it are.
//
// The range is handed out in runs of units, a power of two of them, aligned to their size. A run
// that comes back is kept for the next of that size; the memory of large ones goes back to the
// system.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "route/preload/block_codes.hpp"

namespace mallard::route {

inline constexpr unsigned unit_shift = 16;
inline constexpr std::size_t unit_bytes = std::size_t{1} << unit_shift;
inline constexpr std::size_t largest_alignment = 4096;

class routed_range {
 public:
  // Effects: reserves the addresses; false when there are none.
  bool open() noexcept;

  bool has(const void* p) const noexcept {
    return reinterpret_cast<std::uintptr_t>(p) - base_ < bytes_;
  }

  // A run of at least so many bytes for this owner, aligned to its size (or 2 MiB); null when the
  // range is used up.
  void* take(std::size_t bytes, std::uint32_t owner) noexcept;
  void give(void* run, std::size_t bytes) noexcept;
  // Whose run the address is in.
  std::uint32_t owner_of(const void* p) const noexcept { return owners_[unit_of(p)]; }

  // The call that asked for a block, where that is remembered.
  bool remember_sites() noexcept;
  void set_site(const void* block, std::uint32_t site) noexcept { sites_[index_of(block)] = site; }
  // Calls visit(site) for all live blocks of an owner.
  template <class Visit>
  void for_each_live(std::uint32_t owner, const block_codes& codes, Visit&& visit) const noexcept {
    for (std::size_t unit = 0; unit < used_.load(std::memory_order_relaxed); ++unit) {
      if (owners_[unit] != owner) continue;
      const std::uintptr_t first = base_ + (unit << unit_shift);
      for (std::uintptr_t at = first; at < first + unit_bytes;) {
        const auto* const block = reinterpret_cast<const void*>(at);
        const std::size_t bytes = codes.get(block).bytes;
        if (bytes != 0) visit(sites_[index_of(block)]);
        at += bytes != 0 ? bytes : granule;
      }
    }
  }

  void lock() noexcept;
  void unlock() noexcept;

 private:
  std::size_t unit_of(const void* p) const noexcept {
    return (reinterpret_cast<std::uintptr_t>(p) - base_) >> unit_shift;
  }
  std::size_t index_of(const void* p) const noexcept {
    return (reinterpret_cast<std::uintptr_t>(p) - base_) / granule;
  }
  static constexpr unsigned run_sizes = 24;  // 2^0 .. 2^23 units

  std::uintptr_t base_ = 0;
  std::size_t bytes_ = 0;
  std::uint32_t* sites_ = nullptr;     // by granule
  std::uint32_t* owners_ = nullptr;    // by unit
  std::uint32_t* next_run_ = nullptr;  // by unit: the next free run of its size, + 1
  std::uint32_t free_runs_[run_sizes] = {};
  std::atomic<std::size_t> used_{0};  // units
  std::atomic<std::uint32_t> locked_{0};
};

}  // namespace mallard::route
