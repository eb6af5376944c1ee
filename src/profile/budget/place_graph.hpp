// The possible ways through a program's functions between places (return addresses) without an
// allocation that would have been recorded. The edges come from the machine code, as each symbol's
// `flow` describes it. A search from a place stops where a call is sure to allocate. If it meets
// code that is not known, everything may follow, and the answer is yes. Answers for pairs of places
// are remembered.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "profile/functions.hpp"
#include "profile/of_stacks.hpp"
#include "profile/trace/trace_reader.hpp"

namespace mallard::profile {

class place_graph {
 public:
  // `loads`: of the whole trace. All arguments must outlive the graph.
  place_graph(const trace_reader& trace, const function_table& functions, const stack_loads& loads);

  // Whether a throw may have left some function: exceptions were allocated.
  bool has_throws() const { return has_throws_; }

  // Whether the program may get from one stack's place to the other's within one call of the
  // function.
  bool reaches(std::uint32_t from, std::uint32_t to);
  // Whether the function may return from there.
  bool can_leave(std::uint32_t stack);
  // Whether a new call of the function may get there.
  bool can_enter(std::uint32_t stack);
  // Whether the function has separate parts, one of which may be taken for its beginning.
  bool is_in_parts(std::uint32_t stack) const { return starts_[functions_.of(stack)].size() > 1; }
  // Whether the function may jump to another one that allocates and is not known to have been
  // called from `caller`, so that the call is invisible. Unknown code may, except in traces without
  // any known code: those of other processors and tools.
  bool may_vanish(std::uint32_t stack, std::uint32_t caller) const;
  // The function of the same module called there; 0: unknown.
  std::uint32_t called_from(std::uint32_t stack) const;
  // Whether the call there cannot end without an allocation.
  bool call_allocates(std::uint32_t stack) { return allocates(trace_.stacks().place(stack)); }

 private:
  static constexpr std::uint32_t end = 0;  // the end of a function; no place has this number
  enum class answer : std::uint8_t { not_known, is_asked, no, yes };
  struct function_code {
    bool known = false;
    bool skips = false;
    std::vector<std::uint32_t> first;  // places
  };

  bool finds(std::vector<std::uint32_t> ahead, std::uint32_t wanted);
  bool finds_from(std::uint32_t from, std::uint32_t wanted);
  bool allocates(std::uint32_t place);
  bool always_allocates(std::uint64_t start);
  std::uint32_t place_at(std::uint64_t ip) const;

  bool has_throws_ = false;
  const trace_reader& trace_;
  const function_table& functions_;
  std::vector<const symbol*> symbols_;                   // by place
  std::unordered_map<std::uint64_t, std::uint32_t> at_;  // places by address
  std::vector<std::vector<std::uint32_t>> next_;         // by place
  std::map<std::uint64_t, function_code> code_;          // by start
  std::vector<std::vector<std::uint64_t>> starts_;       // by function
  std::unordered_map<std::uint64_t, std::uint32_t> function_at_;
  std::vector<answer> allocates_;                     // by place: whether each visit allocates
  std::map<std::uint64_t, answer> always_allocates_;  // by start
  std::map<std::pair<std::uint64_t, std::uint32_t>, bool> known_;
};

}  // namespace mallard::profile
