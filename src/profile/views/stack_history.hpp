// The stacks that allocated at each time: so that a page can show any part of a recording's time.
//
// The recording is cut into steps of equal length. For each step and stack with which anything
// happened in it: bytes and operations, and by how much what lives of the stack's blocks grew. The
// growth up to the end of a step is what lives there then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mallard::profile {

struct stack_step {
  std::uint32_t stack = 0;
  std::uint32_t step = 0;
  std::uint64_t bytes = 0;  // allocated
  std::uint64_t operations = 0;
  std::int64_t growth = 0;  // bytes
};

// Memory: four bytes for each stack, forty for each with each step in which it is seen.
class stack_history_builder {
 public:
  static constexpr std::uint32_t steps = 48;

  // `duration` in nanoseconds: of the whole recording.
  stack_history_builder(std::size_t stacks, std::uint64_t duration);

  // In the order of time.
  void operation(std::uint32_t stack, std::uint64_t time) { ++at(stack, time).operations; }
  void born(std::uint32_t stack, std::uint64_t bytes, std::uint64_t time);
  void died(std::uint32_t stack, std::uint64_t bytes, std::uint64_t time);

  std::uint64_t step_ns() const { return step_length_; }
  // In the order of the steps. Once.
  std::vector<stack_step> take() { return std::move(all_); }

 private:
  stack_step& at(std::uint32_t stack, std::uint64_t time);

  std::uint64_t step_length_;
  std::uint32_t step_ = 0;
  std::uint64_t step_end_;
  std::vector<std::uint32_t> last_;  // by stack: one more than where its last step is; 0: none
  std::vector<stack_step> all_;
};

}  // namespace mallard::profile
