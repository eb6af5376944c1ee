// From a trace to what `mallard dims` says: two readings of the events, one that finds totals,
// arena scopes and what the call tree carries, one that measures each subsystem. Whatever else
// looks at blocks goes along with the second.
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
  // Regular expressions: functions that are among the arena scopes even if what is allocated below
  // them outlives them.
  std::vector<std::string> scopes_asked_for = {};
  // Loops of main are looked for as well, which may take another reading of the trace.
  bool loops = false;
};

// Memory: about 80 bytes for each block that is live at once, about 60 for each stack with events,
// twelve for each other, and what the reader takes.
class trace_analysis {
 public:
  // Reads the events once.
  trace_analysis(trace_reader& trace, const function_table& functions,
                 const analysis_options& options);

  // The most that lived at once.
  std::uint64_t peak_bytes() const { return result_.total.peak_bytes; }
  // By stack: how much was asked for with it.
  const stack_loads& loads() const { return loads_; }
  // The `most` subsystems with the most bytes, and all others as one more; of groupings that go
  // by stacks.
  subsystem_map shown_subsystems(std::size_t most) const;
  // Reads the events again; `also` are told of the blocks. Once.
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
