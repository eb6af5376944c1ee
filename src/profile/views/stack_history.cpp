#include "profile/views/stack_history.hpp"

#include <algorithm>

namespace mallard::profile {

stack_history_builder::stack_history_builder(std::size_t stacks, std::uint64_t duration)
    : step_length_(std::max<std::uint64_t>(duration / steps + 1, 1)),
      step_end_(step_length_),
      last_(stacks) {}

stack_step& stack_history_builder::at(std::uint32_t stack, std::uint64_t time) {
  while (time >= step_end_ && step_ + 1 < steps) {
    ++step_;
    step_end_ += step_length_;
  }
  std::uint32_t& last = last_[stack];
  if (last == 0 || all_[last - 1].step != step_) {
    all_.push_back({.stack = stack, .step = step_});
    last = static_cast<std::uint32_t>(all_.size());
  }
  return all_[last - 1];
}

void stack_history_builder::born(std::uint32_t stack, std::uint64_t bytes, std::uint64_t time) {
  stack_step& one = at(stack, time);
  one.bytes += bytes;
  one.growth += static_cast<std::int64_t>(bytes);
}

void stack_history_builder::died(std::uint32_t stack, std::uint64_t bytes, std::uint64_t time) {
  at(stack, time).growth -= static_cast<std::int64_t>(bytes);
}

}  // namespace mallard::profile
