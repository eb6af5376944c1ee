// Purpose: the free parts of one range of memory, for blocks without headers, of any size and
// alignment, the lowest that fits first.
//
// A free extent is a node of a treap (Seidel, Aragon, 1996), ordered by address. The node lies at
// the extent's start, has its links as offsets, and knows the largest extent of its subtree, so the
// lowest one that fits is found in O(log n). Its priority is a hash of its position. An extent
// given back is joined with its neighbours. Nothing is stored outside the free memory, and a block
// in use costs only what rounds its size up to 16: slabs and chunks, powers of two aligned to
// themselves, lie side by side, which headers would prevent. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"  // IWYU pragma: keep

namespace mallard::inline v1::detail {

class MALLARD_API extent_tree {
 public:
  static constexpr std::size_t granule_bytes = 16;

  constexpr extent_tree() noexcept = default;

  // The range has addresses for `limit_bytes`, of which nothing is free yet. `base` is aligned to
  // the granule: 16, or more in a range with too many parts to be numbered.
  void start(std::byte* base, std::size_t limit_bytes) noexcept;

  // Sizes are rounded up to granules.
  std::size_t granule() const noexcept { return std::size_t{1} << shift_; }
  unsigned granule_shift() const noexcept { return shift_; }
  static std::size_t granule_for(std::size_t limit_bytes) noexcept;

  // Null when no extent has room. `bytes` is not 0, `alignment` a power of two.
  void* take(std::size_t bytes, std::size_t alignment) noexcept;
  // Gives back what `take` gave, or adds new memory of the range. Rounds `bytes` up as `take` does.
  void give(void* p, std::size_t bytes) noexcept;
  // The start of the free extent that ends at `end`, else `end`: memory added there joins it.
  std::byte* start_of_last(std::byte* end) const noexcept;

  std::size_t free_bytes() const noexcept { return free_granules_ << shift_; }
  // Calls `visit(p, bytes)` for the part of each free extent that holds no node.
  template <class Visit>
  void for_each_free(Visit&& visit) const noexcept {
    for_each_below(root_, visit);
  }

 private:
  using index = std::uint32_t;  // of a granule, from 1; 0 is none
  struct node {
    index left;
    index right;
    std::uint32_t granules;
    std::uint32_t largest;  // extent of the subtree, in granules
  };
  static_assert(sizeof(node) == granule_bytes);

  node& at(index i) const noexcept {
    return *reinterpret_cast<node*>(base_ + (std::size_t{i - 1} << shift_));
  }
  index index_of(const void* p) const noexcept {
    return static_cast<index>((address_of(p) - address_of(base_)) >> shift_) + 1;
  }
  static std::uint32_t priority(index i) noexcept {
    std::uint32_t h = i * 0x9E3779B1u;
    h ^= h >> 15;
    return h * 0x85EBCA77u;
  }
  std::uint32_t largest_of(index i) const noexcept { return i == 0 ? 0 : at(i).largest; }
  std::size_t take_offset(index i, std::uint32_t granules, std::size_t alignment) const noexcept;
  void update(index i) noexcept;
  index merged(index left, index right) noexcept;
  void split(index tree, index where, index& left, index& right) noexcept;
  index find(index tree, std::uint32_t granules, std::size_t alignment,
             int& patience) const noexcept;
  void insert(index i, std::uint32_t granules) noexcept;
  void remove(index i) noexcept;
  index removed(index tree, index i) noexcept;

  template <class Visit>
  void for_each_below(index i, Visit& visit) const noexcept {
    if (i == 0) return;
    const node n = at(i);
    for_each_below(n.left, visit);
    visit(reinterpret_cast<std::byte*>(&at(i)) + sizeof(node),
          (std::size_t{n.granules} << shift_) - sizeof(node));
    for_each_below(n.right, visit);
  }

  std::byte* base_ = nullptr;
  index root_ = 0;
  unsigned shift_ = 4;
  std::size_t free_granules_ = 0;
};

}  // namespace mallard::inline v1::detail
