// Purpose: from a recorded program to what would make it faster.
//
//   profile::trace_reader trace("program.trace");
//   advise::adviser adviser(trace, {});
//   advice_report report = adviser.replayed();
//   std::puts(report.advices.front().what.c_str());  // "Give parse_request a monotonic resource"
//
// The documents' charts and the recording say which strategies are candidates for which subsystems
// (candidates.hpp). To switch malloc is one, too, and so is to leave the program as it is. Where
// the program is at hand, all of them are tried on it (`to_try`, trial.hpp). Else, and where there
// is no time for that, replays rank them (rank.hpp).
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "advise/advice.hpp"
#include "profile/result.hpp"
#include "profile/trace/trace_reader.hpp"
#include "replay/replay.hpp"

namespace mallard::advise {

struct advise_options {
  // Seconds of the whole program's processors, measured without the recorder; 0: not known, the
  // trace's samples tell.
  double program_seconds = 0;
  // The same once more, when all is replayed: other work slows both; not set: nobody measures it.
  std::function<double()> program_seconds_again = {};
  // Measured on the program as it is; not set: the recording's own estimate.
  std::optional<profile::heap_share> heap = {};
  double recorded_share = 1;        // of its operations; the others are taken to be like them
  double replay_seconds = 0;        // with reading the trace: no replay after that; 0: no limit
  unsigned repetitions = 5;         // of each replay
  std::size_t most_subsystems = 6;  // that are replayed: those with most to gain
  // Levels of touching blocks that are replayed beside that of their first byte.
  std::vector<replay::touch_level> other_levels = {replay::touch_level::walk};
  std::filesystem::path program = {};  // what is executed to replay; empty: the one that runs
  bool (*interrupted)() = nullptr;
};

// Reads a trace once.
class adviser {
 public:
  // Throws std::runtime_error or lab::usage_error, in one line, for a trace that nothing can be
  // said of: without stacks, empty, of another architecture. All three have to outlive it.
  adviser(profile::trace_reader& trace, const advise_options& options);

  // Every candidate and every malloc found, most to gain first, without a prediction. `later`:
  // candidates of another part of the run, which come first.
  advice_report to_try(std::vector<candidate> later = {}) const;
  const std::vector<candidate>& candidates() const { return candidates_; }
  // The same, ranked by replays.
  advice_report replayed();
  // Effects: adds the replays of the candidates, which explain what was tried.
  void explain(advice_report& report);

 private:
  void take_seconds(double seconds);
  void assume_heap_share();
  std::vector<replay::replay_outcome> replay_candidates(bool mallocs);
  void add_facts(advice_report& report) const;
  void add_replays(advice_report& report,
                   const std::vector<replay::replay_outcome>& outcomes) const;

  profile::trace_reader& trace_;
  const advise_options& options_;
  std::chrono::steady_clock::time_point began_;
  profile::dims_result dims_;
  std::uint64_t recorded_ns_ = 0;
  bool has_samples_ = true;  // or its time was measured
  std::vector<candidate> candidates_;
  std::filesystem::path malloc_;  // that it runs on; empty: the C library's
  double reading_seconds_ = 0;
};

}  // namespace mallard::advise
