// The stacks that allocated at each time, so that a page can show any part of a recording.
//
// The recording is divided into steps of equal length. For each step and each stack with events in
// it, there are the bytes, the operations, and the growth of the stack's live bytes. The sum of the
// growth up to a step's end is what lives then. The growth until the step's fullest instant is
// noted, too: each time that more lives than ever in the step, all of its stacks are marked as
// changed, and one that changes again first notes what it had.
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
  std::int64_t growth_to_peak = 0;
  std::uint32_t peaks = 0;  // that the step had had when this was noted
};

// Memory: 4 bytes for each stack, 48 for each pair of stack and step with events.
class stack_history_builder {
 public:
  static constexpr std::uint32_t steps = 48;

  // `duration`: of the whole recording, in nanoseconds.
  stack_history_builder(std::size_t stacks, std::uint64_t duration);

  // Call these in the order of time.
  void operation(std::uint32_t stack, std::uint64_t time) { ++at(stack, time).operations; }
  void born(std::uint32_t stack, std::uint64_t bytes, std::uint64_t time);
  void died(std::uint32_t stack, std::uint64_t bytes, std::uint64_t time);

  std::uint64_t step_ns() const { return step_length_; }
  // In the order of the steps. Call it once.
  std::vector<stack_step> take();

 private:
  stack_step& at(std::uint32_t stack, std::uint64_t time);
  void note(stack_step& one) const;
  void grow(stack_step& one, std::int64_t bytes);
  void end_step();

  std::uint64_t step_length_;
  std::uint32_t step_ = 0;
  std::uint64_t step_end_;
  std::int64_t live_ = 0;  // of all stacks
  std::int64_t most_ = 0;  // in the step
  std::uint32_t peaks_ = 1;
  std::size_t first_ = 0;            // of the step, in all_
  std::vector<std::uint32_t> last_;  // by stack: index of its last step plus one; 0: none
  std::vector<stack_step> all_;
};

}  // namespace mallard::profile
