// Purpose: from a recorded program to what would make it faster, proved by replay.
//
//   profile::trace_reader trace("program.trace");
//   advice_report report = advise(trace, {});
//   std::puts(report.advices.front().what.c_str());  // "Give parse_request a monotonic resource"
//
// The documents' charts and what was recorded say which strategies are candidates for which
// subsystems (candidates.hpp); all of them, and every malloc found, are replayed; the replays alone
// rank them (rank.hpp). To leave the program as it is and to switch malloc are candidates too.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "advise/advice.hpp"
#include "profile/trace/trace_reader.hpp"
#include "replay/replay.hpp"

namespace mallard::advise {

struct advise_options {
  // Of the whole program's processors, measured without the recorder; 0: not known, the trace's
  // samples tell.
  double program_seconds = 0;
  // The same once more, when all is replayed: other work slows both; not set: nobody measures it.
  std::function<double()> program_seconds_again = {};
  double recorded_share = 1;        // of its operations; the others are taken to be like them
  double replay_seconds = 0;        // with reading the trace: no replay after that; 0: no limit
  unsigned repetitions = 5;         // of each replay
  std::size_t most_subsystems = 6;  // that are replayed: those with most to gain
  // Of touching blocks, that are replayed beside that of their first byte.
  std::vector<replay::touch_level> other_levels = {replay::touch_level::walk};
  std::filesystem::path program = {};  // what is executed to replay; empty: the one that runs
  bool (*interrupted)() = nullptr;
};

// Throws std::runtime_error or lab::usage_error, in one line, for a trace that nothing can be said
// of: without stacks, empty, of another architecture.
advice_report advise(profile::trace_reader& trace, const advise_options& options);

}  // namespace mallard::advise
