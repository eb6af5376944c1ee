#include "profile/views/stack_history.hpp"

#include <algorithm>

namespace mallard::profile {

stack_history_builder::stack_history_builder(std::size_t stacks, std::uint64_t duration)
    : step_length_(std::max<std::uint64_t>(duration / steps + 1, 1)),
      step_end_(step_length_),
      last_(stacks) {}

stack_step& stack_history_builder::at(std::uint32_t stack, std::uint64_t time) {
  while (time >= step_end_ && step_ + 1 < steps) {
    end_step();
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

void stack_history_builder::note(stack_step& one) const {
  if (one.peaks != peaks_) one.growth_to_peak = one.growth;
  one.peaks = peaks_;
}

void stack_history_builder::grow(stack_step& one, std::int64_t bytes) {
  note(one);
  one.growth += bytes;
  live_ += bytes;
  if (live_ <= most_) return;
  most_ = live_;
  ++peaks_;
}

void stack_history_builder::end_step() {
  for (; first_ < all_.size(); ++first_) note(all_[first_]);
  most_ = live_;
  ++peaks_;
}

std::vector<stack_step> stack_history_builder::take() {
  end_step();
  return std::move(all_);
}

void stack_history_builder::born(std::uint32_t stack, std::uint64_t bytes, std::uint64_t time) {
  stack_step& one = at(stack, time);
  one.bytes += bytes;
  grow(one, static_cast<std::int64_t>(bytes));
}

void stack_history_builder::died(std::uint32_t stack, std::uint64_t bytes, std::uint64_t time) {
  grow(at(stack, time), -static_cast<std::int64_t>(bytes));
}

}  // namespace mallard::profile
