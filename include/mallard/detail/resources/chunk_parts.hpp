// Purpose: chunks smaller than a page, for the first slabs of small pools: pools of few blocks
// share pages so. The slab engine cuts them from larger chunks. Thread-safe under one lock, which
// is not held during calls to the supply: what comes or goes waits in `ready_` or `aside_`.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

#include "mallard/detail/core/slab_set.hpp"
#include "mallard/detail/pages/slice_supply.hpp"

namespace mallard::inline v1::detail {

inline constexpr std::size_t smallest_part_bytes = 1024;
inline constexpr unsigned part_class_count = 2;

constexpr std::size_t part_bytes(unsigned part_class) noexcept {
  return smallest_part_bytes << part_class;
}

inline constexpr std::size_t parts_bytes = 4 * slice_bytes;
inline constexpr auto part_layouts = [] {
  std::array<slab_layout, part_class_count> table{};
  for (unsigned c = 0; c < part_class_count; ++c) {
    table[c] = make_layout(part_bytes(c), parts_bytes);
  }
  return table;
}();

class chunk_parts {
 public:
  constexpr explicit chunk_parts(slice_supply& supply) noexcept
      : supply_(supply), slabs_(part_layouts.data(), source, this, 0) {}

  // Fills `out` with up to `count` parts; returns how many: none when there is no memory.
  unsigned take(unsigned part_class, void** out, unsigned count) noexcept;
  void give(unsigned part_class, void* const* parts, unsigned count) noexcept;

  // Gives back what is empty.
  void trim() noexcept;

  std::mutex& lock() noexcept { return lock_; }

 private:
  struct empty_slab {
    empty_slab* next;
  };

  static void* take_ready(void* context, std::size_t bytes, const slab_rescue& rescue);
  static void put_aside(void* context, void* p, std::size_t bytes) noexcept;
  static constexpr slab_source source{take_ready, put_aside};
  void give_to_supply(empty_slab* slabs) noexcept;

  slice_supply& supply_;
  std::mutex lock_;
  slab_set slabs_;
  std::array<slab_pool, part_class_count> pools_{};
  void* ready_ = nullptr;        // from the supply, for the next slab
  empty_slab* aside_ = nullptr;  // on its way to the supply
};

}  // namespace mallard::inline v1::detail
