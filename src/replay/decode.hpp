// Turns a trace into programs for replay.
//
//   trace_decoder decoder(trace, {});
//   program all = decoder.decode(whole_program);
//   program one = decoder.decode("parse_request");
//
// The trace is analysed as by `mallard dims`, and read once more for each program.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "profile/functions.hpp"
#include "profile/result.hpp"
#include "profile/subsystem_rules.hpp"
#include "profile/trace/trace_reader.hpp"
#include "replay/program.hpp"
#include "replay/replay.hpp"

namespace mallard::replay {

// The trace cannot be replayed. The text is one line for the user.
class replay_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct decode_options {
  profile::subsystem_options grouping = {};
  bool one_lane = false;  // everything in one lane, in the recorded order
  think_time think = think_time::none;
};

// Selects the subsystem's blocks: those that meet all conditions at their birth.
struct ownership {
  std::vector<bool> stacks;
  std::vector<bool> threads = {};       // empty: any
  std::set<std::uint64_t> scopes = {};  // the innermost open one, by its name's number
  bool by_scope = false;

  static constexpr std::uint64_t no_scope = UINT64_MAX;  // none is open
};

// Facts shared by all programs of a trace.
struct trace_survey {
  std::vector<std::uint32_t> lane_of_thread;  // by thread number
  std::uint32_t lanes = 1;
  std::vector<bool> handed;  // by number of birth: freed by another lane
  std::vector<std::uint64_t> births_of_stack;
  std::vector<std::uint32_t> sample_sizes;
  std::uint64_t operations = 0;
  std::uint64_t peak_blocks = 0;
  std::uint64_t peak_bytes = 0;
  double think_scale = 1;    // factor for gaps
  double allocation_ns = 0;  // medians of the timed operations
  double free_ns = 0;
};

class trace_decoder {
 public:
  // Throws replay_error for a trace that is empty or lacks required data.
  trace_decoder(profile::trace_reader& trace, const decode_options& options);

  // The subsystems' names, the most bytes first, without whole_program.
  std::vector<std::string> subsystems() const;
  const profile::dims_result& analysis() const { return analysis_; }
  // Throws replay_error, with the nearest names, if there is no such subsystem.
  program decode(std::string_view subsystem);

 private:
  ownership find_own(std::string_view subsystem) const;
  std::optional<std::uint32_t> scope_of(std::string_view subsystem,
                                        const std::vector<bool>& own) const;

  profile::trace_reader& trace_;
  decode_options options_;
  profile::function_table functions_;
  profile::subsystem_map map_;
  profile::dims_result analysis_;
  trace_survey survey_;
};

}  // namespace mallard::replay
