// The ways through a program's functions from place to place, places being return addresses, with
// no allocation between that would have been recorded. Where the code is not known, everything may
// follow everything.
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
  // `loads`: of the whole trace. All must outlive the graph.
  place_graph(const trace_reader& trace, const function_table& functions, const stack_loads& loads);

  // Some function may have been left by a throw: exceptions were allocated.
  bool has_throws() const { return has_throws_; }

  // The program may come from the place of one stack's innermost frame to the other's, in a
  // function that goes on.
  bool reaches(std::uint32_t from, std::uint32_t to);
  // The function may return from there.
  bool can_leave(std::uint32_t stack);
  // It may come there when it is called.
  bool can_enter(std::uint32_t stack);
  // The function has parts that lie apart, so that one may be taken for its beginning.
  bool is_in_parts(std::uint32_t stack) const { return starts_[functions_.of(stack)].size() > 1; }
  // The function may leave its frame to another that allocates, and it is not known to have been
  // called from `caller`: from elsewhere it may be so that nothing shows it. Code that is not known
  // may, too, but for traces in which none is: those of other processors and tools.
  bool may_vanish(std::uint32_t stack, std::uint32_t caller) const;
  // The function of the same module that is called from there, by name; 0: not known.
  std::uint32_t called_from(std::uint32_t stack) const;

 private:
  static constexpr std::uint32_t end = 0;  // of a function: no place has this number
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
  std::vector<answer> allocates_;                     // by place: whenever it is come to
  std::map<std::uint64_t, answer> always_allocates_;  // by start
  std::map<std::pair<std::uint64_t, std::uint32_t>, bool> known_;
};

}  // namespace mallard::profile
