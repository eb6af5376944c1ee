// Bounds of what one call of a function allocates at most. A recording has no function entries,
// only stacks. The counter compares each stack with the thread's previous one and asks place_graph
// whether the machine code lets the call go on between them, and whether it lets another one begin.
// If only one is possible, the answer is certain. If both are, the upper bound counts one call and
// the lower bound two. Results for a pair of stacks are remembered.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "profile/block_stream.hpp"
#include "profile/budget/budget.hpp"
#include "profile/budget/place_graph.hpp"

namespace mallard::profile {

struct calls_found {
  bool any = false;  // of the function, with allocations
  call_bounds blocks, bytes;
};

class call_counter final : public block_watcher {
 public:
  // `asked_for`: by function number.
  call_counter(const trace_reader& trace, const function_table& functions, const stack_loads& loads,
               const std::vector<bool>& asked_for);

  // By function; after the last event.
  const std::vector<calls_found>& found() const { return found_; }

  void begin(const live_table<live_block>&) override {}
  void next(const recorded&) override {}
  void operation(const recorded& one) override;
  void born(const recorded& one, const live_block& block) override;
  void died(const recorded&, const live_block&, const block_end&) override {}
  void outlived(const live_block&) override {}
  void end() override;
  void at_peak() override {}
  void sample(const recorded&) override {}

 private:
  struct amount {
    std::uint64_t blocks = 0, bytes = 0;
  };
  // A function on the stack, with its outermost frame there.
  struct frame_of {
    std::uint32_t function = 0;
    std::uint32_t frame = 0;  // a stack whose innermost frame it is
  };
  struct frames_of {
    std::vector<frame_of> asked_for;  // the innermost first
    std::uint64_t outermost = 0;      // address of the outermost frame of all
    bool cut = false;                 // frames outside it are missing
  };
  struct open_call {
    frame_of at;
    std::uint32_t stack = 0;   // where the thread was seen last
    amount certain, possible;  // since the call began, certainly or possibly
  };
  // A thread's stack, identified by its outermost frame: coroutines have stacks of their own.
  using path = std::pair<std::uint32_t, std::uint64_t>;
  enum class relation : std::uint8_t { same_call, unclear, new_call };

  const frames_of& frames_on(std::uint32_t stack);
  bool is_broken_at(std::uint32_t outermost) const;
  relation compare(const open_call& before, const frame_of& now, std::uint32_t stack);
  relation tell_apart(std::uint32_t old_frame, std::uint32_t old_stack, std::uint32_t frame,
                      std::uint32_t stack);
  bool may_go_on(const std::vector<std::uint32_t>& old, const std::vector<std::uint32_t>& now);
  bool may_begin_anew(const std::vector<std::uint32_t>& old, const std::vector<std::uint32_t>& now);
  std::vector<std::uint32_t> inwards(std::uint32_t frame, std::uint32_t stack) const;
  void close(open_call& one, bool for_certain);

  const trace_reader& trace_;
  const function_table& functions_;
  place_graph graph_;
  std::vector<bool> asked_for_;
  bool any_;  // some function is asked for
  std::vector<calls_found> found_;
  std::unordered_set<std::uint32_t> vanishes_;  // functions whose calls may not all be visible
  bool cut_ = false;                            // some stack was cut
  std::unordered_map<std::uint32_t, frames_of> frames_;  // by stack
  std::map<path, std::vector<open_call>> open_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, relation> known_;
};

}  // namespace mallard::profile
