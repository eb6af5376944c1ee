// Purpose: single blocks of large size classes from upstream, so that a pool over memory that is
// limited, or paid for by the byte, takes it in proportion to what is in use.
//
// A slab of a large class is 64 or 256 KiB. Over the page source these are addresses, which cost
// nothing until touched; over any other upstream they are memory. There a class has lone blocks
// until they add up to half a slab, and also when upstream has no slab. A lone block has the header
// of an oversize block. Its address distinguishes it from a slot: slots lie at multiples of the
// block size from the start of an aligned slab, and a lone block is placed where no slot can be.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "mallard/detail/config.hpp"
#include "mallard/detail/core/class_pools.hpp"
#include "mallard/detail/resources/oversize_list.hpp"

namespace mallard::inline v1::detail {

class MALLARD_API lone_blocks {
 public:
  // A block with a larger alignment is always a slot.
  static constexpr std::size_t largest_alignment = 64;

  // Takes an idle block, or one from upstream. Throws what upstream throws. With `whole_class` the
  // block is as large as its class, so that any request of the class can use it later.
  void* take(std::pmr::memory_resource& upstream, unsigned size_class, std::size_t bytes,
             std::size_t alignment, bool whole_class);
  // Up to `idle_limit` blocks stay idle; when there would be more, the earlier ones go back.
  void give(std::pmr::memory_resource& upstream, void* p, unsigned size_class,
            std::size_t idle_limit) noexcept;

  // Whether a block of this class is a lone one. O(1).
  bool is_lone(const void* p, unsigned size_class) const noexcept {
    const slab_layout& layout = class_layouts[size_class];
    return list_.blocks() != 0 &&
           (address_of(p) & (layout.slab_bytes - std::uintptr_t{1})) % layout.block_bytes != 0;
  }
  // Whether the class should get another lone block: they are at most half a slab then, or upstream
  // had no slab and some of what it had instead is in use.
  bool is_little(unsigned size_class) const noexcept {
    const slab_layout& layout = class_layouts[size_class];
    return stays_alone_ || list_.blocks() == 0 ||
           (in_use_[size_class - table_class_count] + 1) * layout.block_bytes * std::size_t{2} <=
               layout.slab_bytes;
  }
  void stay_alone() noexcept { stays_alone_ = true; }

  // Gives idle blocks back. Returns the bytes.
  std::size_t trim(std::pmr::memory_resource& upstream) noexcept;
  // Gives everything back; with `forget`, nothing.
  void release(std::pmr::memory_resource& upstream, bool forget) noexcept;

  bool owns_block(const void* p) const noexcept { return list_.owns_block(p); }  // for assertions
  bool owns(const void* p) const noexcept { return list_.owns(p); }              // O(blocks)
  std::size_t in_use_bytes() const noexcept { return list_.payload_bytes() - idle_bytes_; }
  std::size_t reserved_bytes() const noexcept { return list_.reserved_bytes(); }

 private:
  static constexpr unsigned classes = class_count - table_class_count;

  // An idle block begins with the address of the next one of its class.
  void*& idle_of(unsigned size_class) noexcept { return idle_[size_class - table_class_count]; }
  void* pop_idle(unsigned size_class) noexcept;

  oversize_list list_;  // including the idle ones
  std::size_t idle_bytes_ = 0;
  std::size_t idle_blocks_ = 0;
  bool stays_alone_ = false;
  // By class; not initialised while there is no block, so that a pool starts faster.
  std::array<std::uint32_t, classes> in_use_;
  std::array<void*, classes> idle_;
};

}  // namespace mallard::inline v1::detail
