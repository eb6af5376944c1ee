// Analyses a trace for `mallard dims`. It reads the events twice: the first reading finds totals,
// arena scopes and the load of the call tree, the second measures each subsystem. Other watchers of
// blocks take part in the second. Where blocks that last may hide the ends of calls or turns, one
// reading between the two leaves these blocks out.
//
//   trace_reader trace(file);
//   const function_table functions(trace);
//   trace_analysis analysis(trace, functions, {});
//   block_watcher* also[] = {…};
//   const dims_result found = analysis.finish(also);
#pragma once

#include <span>
#include <string>
#include <vector>

#include "profile/block_stream.hpp"
#include "profile/functions.hpp"
#include "profile/of_stacks.hpp"
#include "profile/result.hpp"
#include "profile/subsystem_meter.hpp"
#include "profile/subsystem_rules.hpp"

namespace mallard::profile {

class survey;

struct analysis_options {
  subsystem_options subsystems = {};
  std::size_t windows = 100;
  selection part = {};  // of the trace
  // Regular expressions: matching functions are listed as arena scopes even if blocks allocated
  // below them outlive them.
  std::vector<std::string> scopes_asked_for = {};
  // Also finds loops of main, which may take another reading of the trace.
  bool loops = false;
};

// Memory: about 80 bytes for each block alive at once, 60 for each stack with events, 12 for each
// other stack, and the reader's.
class trace_analysis {
 public:
  // Effects: reads the events once.
  trace_analysis(trace_reader& trace, const function_table& functions,
                 const analysis_options& options);

  // The peak of live bytes.
  std::uint64_t peak_bytes() const { return result_.total.peak_bytes; }
  // The load of each stack, by stack.
  const stack_loads& loads() const { return loads_; }
  // The `most` subsystems with the most bytes, and all others as one more. Only for groupings by
  // stack.
  subsystem_map shown_subsystems(std::size_t most) const;
  // Effects: reads the events again and tells `also` of the blocks. May be called once.
  dims_result finish(std::span<block_watcher* const> also = {});

 private:
  std::vector<arena_loop> loops(const survey& first, const std::vector<arena_scope>& scopes,
                                const function_table& functions);

  trace_reader& trace_;
  analysis_options options_;
  dims_result result_;
  meter_setting setting_;
  subsystem_names names_;
  stack_loads loads_;
  std::vector<std::uint16_t> of_stack_;
  std::vector<std::uint64_t> bytes_;  // by subsystem
};

dims_result analyse(trace_reader& trace, const function_table& functions,
                    const analysis_options& options = {});

}  // namespace mallard::profile
