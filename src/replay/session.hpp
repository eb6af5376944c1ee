// A replay as a bench of the lab: what is measured at which place, and what follows from the cells.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lab/bench/bench.hpp"
#include "lab/bench/plan.hpp"
#include "lab/bench/run.hpp"
#include "lab/measuring/peers.hpp"
#include "lab/results/cell.hpp"
#include "replay/decode.hpp"
#include "replay/replay.hpp"

namespace mallard::replay {

// Further measures of the cells, besides replay_seconds and replay_memory.
inline constexpr const char* own_seconds = "time";   // the subsystem's operations only
inline constexpr const char* speed_up = "speed_up";  // over the global heap
inline constexpr const char* loop_measure = "loop";  // ns of the loop for an operation

class replay_session {
 public:
  // Decodes the requested subsystems. Throws replay_error, lab::usage_error.
  replay_session(profile::trace_reader& trace, const replay_options& options);
  ~replay_session();
  replay_session(const replay_session&) = delete;
  replay_session& operator=(const replay_session&) = delete;

  // Remarks about a subsystem, printed before its figures.
  struct subject {
    std::string name;
    std::string scope;
    program_facts facts;
    int file = -1;
  };
  const std::vector<subject>& subjects() const { return subjects_; }
  const lab::bench_plan& plan() const { return plan_; }
  lab::place parameters() const;
  const std::vector<lab::skipped_peer>& missing() const { return missing_; }

  // Returns: why a contender is not measured for a subsystem; empty if it is.
  std::string why_not(const lab::contender& who, const subject& of) const;

  // Adds derived measures to the cells of a place, which must be complete.
  void derive(std::vector<lab::cell_result>& cells) const;
  // One for each contender, subsystem and touch level, with a figure or without.
  std::vector<replay_outcome> outcomes(const std::vector<lab::cell_result>& cells) const;

 private:
  lab::task task_of(const lab::contender& who, const lab::place& at) const;
  const subject& subject_at(const lab::place& at) const;
  void choose_contenders();

  replay_options options_;
  std::vector<subject> subjects_;
  std::vector<std::unique_ptr<shared_program>> programs_;
  std::vector<lab::skipped_peer> missing_;
  lab::bench bench_;
  lab::bench_plan plan_;
  double steps_per_ns_ = 1;
  std::size_t pollution_bytes_ = 0;
};

// Measures the session's plan, or a part of it, cell by cell in order, and adds derived measures.
lab::bench_end run_replay(const replay_session& session, const lab::bench_plan& plan,
                          const std::vector<lab::cell_result>& finished,
                          const lab::bench_events& events);

}  // namespace mallard::replay
