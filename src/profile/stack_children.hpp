// The tree of stacks. From the root outwards: the children of a stack, O(1) for each step, eight
// bytes for each stack. From the leaves inwards: sums.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/trace/stack_table.hpp"

namespace mallard::profile {

class stack_children {
 public:
  explicit stack_children(const stack_list& stacks) : first_(stacks.size()), next_(stacks.size()) {
    for (std::uint32_t id = stacks.size(); id-- > 1;) {
      std::uint32_t& first = first_[stacks.parent(id)];
      next_[id] = first;
      first = id;
    }
  }

  // The child with the smallest number; 0: none.
  std::uint32_t first(std::uint32_t stack) const { return first_[stack]; }
  // The next child of the same parent; 0: none.
  std::uint32_t next(std::uint32_t stack) const { return next_[stack]; }

 private:
  std::vector<std::uint32_t> first_, next_;
};

// For each stack the sum of own(stack) and own() of all stacks below it. O(stacks).
template <class Sum, class Own>
std::vector<Sum> sums_below(const stack_list& stacks, const Own& own) {
  std::vector<Sum> out(stacks.size());
  for (std::uint32_t id = stacks.size(); id-- > 1;) {
    out[id] += own(id);
    out[stacks.parent(id)] += out[id];
  }
  return out;
}

}  // namespace mallard::profile
