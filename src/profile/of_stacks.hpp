// A value for each stack that has one. At most nodes of the tree of stacks nothing happens itself:
// such a node takes four bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace mallard::profile {

template <class Value>
class of_stacks {
 public:
  explicit of_stacks(std::size_t stacks) : place_(stacks), values_(1) {}

  // The number of stacks, not of those with a value.
  std::uint32_t stacks() const { return static_cast<std::uint32_t>(place_.size()); }
  // Effects: gives the stack a value if it has none. O(1).
  Value& operator[](std::uint32_t stack) {
    std::uint32_t& place = place_[stack];
    if (place == 0) {
      place = static_cast<std::uint32_t>(values_.size());
      values_.emplace_back();
    }
    return values_[place];
  }
  // Effects: makes access to the stack's value faster.
  void prefetch(std::uint32_t stack) const { __builtin_prefetch(&place_[stack]); }
  bool has(std::uint32_t stack) const { return place_[stack] != 0; }
  // The stack's value; a default one if it has none.
  const Value& of(std::uint32_t stack) const { return values_[place_[stack]]; }

 private:
  std::vector<std::uint32_t> place_;  // by stack; 0: no value
  std::deque<Value> values_;
};

// The load of the operations with exactly this stack.
struct stack_load {
  std::uint64_t bytes = 0;
  std::uint64_t operations = 0;
  std::uint64_t time = 0;  // ns in heap operations, as far as they were timed
  std::uint64_t blocks = 0;

  stack_load& operator+=(const stack_load& other) {
    bytes += other.bytes;
    operations += other.operations;
    time += other.time;
    blocks += other.blocks;
    return *this;
  }
};
using stack_loads = of_stacks<stack_load>;

}  // namespace mallard::profile
