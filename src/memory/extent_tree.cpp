#include "mallard/detail/memory/extent_tree.hpp"

#include <algorithm>

#include "mallard/detail/core/annotate.hpp"

namespace mallard::inline v1::detail {
namespace {

constexpr std::uint32_t no_room = ~std::uint32_t{0};

unsigned shift_for(std::size_t limit_bytes) noexcept {
  unsigned shift = 4;
  while ((limit_bytes >> shift) >= no_room) ++shift;
  return shift;
}

}  // namespace

std::size_t extent_tree::granule_for(std::size_t limit_bytes) noexcept {
  return std::size_t{1} << shift_for(limit_bytes);
}

void extent_tree::start(std::byte* base, std::size_t limit_bytes) noexcept {
  base_ = base;
  root_ = 0;
  shift_ = shift_for(limit_bytes);
  free_granules_ = 0;
}

// Bytes of the extent before an aligned block in it; no_room when it does not fit.
std::size_t extent_tree::take_offset(index i, std::uint32_t granules,
                                     std::size_t alignment) const noexcept {
  const std::uintptr_t start = address_of(&at(i));
  const std::size_t before = round_up(start, alignment) - start;
  const std::size_t have = std::size_t{at(i).granules} << shift_;
  const std::size_t wanted = std::size_t{granules} << shift_;
  return before <= have && have - before >= wanted ? before : no_room;
}

void extent_tree::update(index i) noexcept {
  node& n = at(i);
  n.largest = std::max({n.granules, largest_of(n.left), largest_of(n.right)});
}

extent_tree::index extent_tree::merged(index left, index right) noexcept {
  if (left == 0 || right == 0) return left | right;
  if (priority(left) > priority(right)) {
    at(left).right = merged(at(left).right, right);
    update(left);
    return left;
  }
  at(right).left = merged(left, at(right).left);
  update(right);
  return right;
}

// Splits a tree into the part before `where`, and the rest.
void extent_tree::split(index tree, index where, index& left, index& right) noexcept {
  if (tree == 0) {
    left = right = 0;
    return;
  }
  if (tree < where) {
    left = tree;
    split(at(tree).right, where, at(tree).right, right);
  } else {
    right = tree;
    split(at(tree).left, where, left, at(tree).left);
  }
  update(tree);
}

// The lowest extent in which the block has room. An extent may be large enough and yet have no
// aligned place; after some of these the search gives up.
extent_tree::index extent_tree::find(index tree, std::uint32_t granules, std::size_t alignment,
                                     int& patience) const noexcept {
  if (largest_of(tree) < granules || patience <= 0) return 0;
  if (const index i = find(at(tree).left, granules, alignment, patience)) return i;
  if (at(tree).granules >= granules) {
    if (take_offset(tree, granules, alignment) != no_room) return tree;
    --patience;
  }
  return find(at(tree).right, granules, alignment, patience);
}

void extent_tree::insert(index i, std::uint32_t granules) noexcept {
  unpoison(&at(i), sizeof(node));
  at(i) = {0, 0, granules, granules};
  poison(&at(i) + 1, (std::size_t{granules} << shift_) - sizeof(node));
  free_granules_ += granules;
  // Goes down to where its priority belongs. There it replaces the subtree, which it splits.
  index* place = &root_;
  while (*place != 0 && priority(*place) > priority(i)) {
    node& n = at(*place);
    n.largest = std::max(n.largest, granules);
    place = i < *place ? &n.left : &n.right;
  }
  split(*place, i, at(i).left, at(i).right);
  update(i);
  *place = i;
}

extent_tree::index extent_tree::removed(index tree, index i) noexcept {
  if (tree == i) return merged(at(i).left, at(i).right);
  if (i < tree) {
    at(tree).left = removed(at(tree).left, i);
  } else {
    at(tree).right = removed(at(tree).right, i);
  }
  update(tree);
  return tree;
}

void extent_tree::remove(index i) noexcept {
  free_granules_ -= at(i).granules;
  root_ = removed(root_, i);
}

void* extent_tree::take(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t rounded = round_up(bytes, granule()) >> shift_;
  if (rounded == 0 || rounded >= no_room) return nullptr;
  const auto granules = static_cast<std::uint32_t>(rounded);
  alignment = std::max(alignment, granule());
  int patience = 64;
  index i = find(root_, granules, alignment, patience);
  if (i == 0 && patience <= 0) {
    // Looks for an extent with room for the block wherever it begins.
    const std::size_t roomy = granules + (alignment >> shift_) - 1;
    patience = 1;
    if (roomy < no_room) i = find(root_, static_cast<std::uint32_t>(roomy), granule(), patience);
  }
  if (i == 0) return nullptr;
  const std::size_t before = take_offset(i, granules, alignment);
  const std::uint32_t whole = at(i).granules;
  const auto skipped = static_cast<std::uint32_t>(before >> shift_);
  auto* const p = reinterpret_cast<std::byte*>(&at(i)) + before;
  remove(i);
  if (skipped != 0) insert(i, skipped);
  if (skipped + granules != whole) insert(i + skipped + granules, whole - skipped - granules);
  unpoison(p, bytes);
  return p;
}

void extent_tree::give(void* p, std::size_t bytes) noexcept {
  index i = index_of(p);
  auto granules = static_cast<std::uint32_t>(round_up(bytes, granule()) >> shift_);
  index before = 0;
  index after = 0;
  for (index n = root_; n != 0;) {
    if (n < i) {
      before = n;
      n = at(n).right;
    } else {
      after = n;
      n = at(n).left;
    }
  }
  if (after == i + granules) {
    granules += at(after).granules;
    remove(after);
  }
  if (before != 0 && before + at(before).granules == i) {
    granules += at(before).granules;
    i = before;
    remove(before);
  }
  insert(i, granules);
}

std::byte* extent_tree::start_of_last(std::byte* end) const noexcept {
  if (root_ == 0) return end;
  index last = root_;
  while (at(last).right != 0) last = at(last).right;
  auto* const start = reinterpret_cast<std::byte*>(&at(last));
  return start + (std::size_t{at(last).granules} << shift_) == end ? start : end;
}

}  // namespace mallard::inline v1::detail
