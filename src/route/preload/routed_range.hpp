// Purpose: the one range of addresses that all routed blocks lie in, so that one subtraction and
// one comparison tell them from all others, and what is known of each block in it: a byte for every
// 16 bytes, in a table of its own, so that blocks lie as close together as they would without a
// hook.
//
// The range is handed out in runs of units, a power of two of them, aligned to their size. A run
// that comes back is kept for the next of that size; the memory of large ones goes back to the
// system.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mallard::route {

inline constexpr unsigned unit_shift = 16;
inline constexpr std::size_t unit_bytes = std::size_t{1} << unit_shift;
inline constexpr std::size_t granule = 16;  // what blocks are a multiple of, and aligned to
inline constexpr std::size_t largest_alignment = 4096;

// The request for a block, rounded up to `granule`.
struct block_shape {
  std::size_t bytes;
  std::size_t alignment;
};

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

  // A block is born, or asked for, or gone.
  void set(const void* block, block_shape shape) noexcept { set(codes_, block, shape); }
  // 0 bytes: nothing lives there.
  block_shape get(const void* block) const noexcept { return get(codes_, block); }
  void clear(const void* block) noexcept { clear(codes_, block); }
  // The same once more in another table, so that caches are as warm or cold: see
  // session::goes_twice.
  bool remember_twice() noexcept;
  void set_again(const void* block, block_shape shape) noexcept { set(codes_again_, block, shape); }
  block_shape get_again(const void* block) const noexcept { return get(codes_again_, block); }
  void clear_again(const void* block) noexcept { clear(codes_again_, block); }

  // The call that asked for a block, where that is remembered.
  bool remember_sites() noexcept;
  void set_site(const void* block, std::uint32_t site) noexcept { sites_[index_of(block)] = site; }
  // Calls visit(site) for all live blocks of an owner.
  template <class Visit>
  void for_each_live(std::uint32_t owner, Visit&& visit) const noexcept {
    for (std::size_t unit = 0; unit < used_.load(std::memory_order_relaxed); ++unit) {
      if (owners_[unit] != owner) continue;
      const std::size_t first = unit << (unit_shift - 4);
      for (std::size_t i = first; i < first + unit_bytes / granule;) {
        if (codes_[i] == 0) {
          ++i;
          continue;
        }
        visit(sites_[i]);
        i += shape_of(codes_ + i).bytes / granule;
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
  // A code below is a size in granules; this one says that size and alignment are behind it.
  static constexpr std::uint8_t long_form = 255;

  void set(std::uint8_t* codes, const void* block, block_shape shape) noexcept {
    std::uint8_t* const code = codes + index_of(block);
    if (shape.bytes >= long_form * granule) [[unlikely]]
      return write_long(code, shape);
    *code = static_cast<std::uint8_t>(shape.bytes / granule);
  }
  block_shape get(const std::uint8_t* codes, const void* block) const noexcept {
    if (reinterpret_cast<std::uintptr_t>(block) % granule != 0) return {0, 0};
    return shape_of(codes + index_of(block));
  }
  void clear(std::uint8_t* codes, const void* block) noexcept {
    std::uint8_t* const code = codes + index_of(block);
    if (*code == long_form) [[unlikely]]
      return erase_long(code);
    *code = 0;
  }
  static block_shape shape_of(const std::uint8_t* code) noexcept {
    if (*code == long_form) [[unlikely]]
      return read_long(code);
    return {*code * granule, granule};
  }
  static void write_long(std::uint8_t* code, block_shape shape) noexcept;
  static block_shape read_long(const std::uint8_t* code) noexcept;
  static void erase_long(std::uint8_t* code) noexcept;

  static constexpr unsigned run_sizes = 24;  // 2^0 .. 2^23 units

  std::uintptr_t base_ = 0;
  std::size_t bytes_ = 0;
  std::uint8_t* codes_ = nullptr;  // 0: nothing begins here; else see set()
  std::uint8_t* codes_again_ = nullptr;
  std::uint32_t* sites_ = nullptr;     // by granule
  std::uint32_t* owners_ = nullptr;    // by unit
  std::uint32_t* next_run_ = nullptr;  // by unit: the next free run of its size, + 1
  std::uint32_t free_runs_[run_sizes] = {};
  std::atomic<std::size_t> used_{0};  // units
  std::atomic<std::uint32_t> locked_{0};
};

}  // namespace mallard::route
