// Output of `mallard replay`.
#pragma once

#include <string>
#include <vector>

#include "replay/session.hpp"

namespace mallard::cli {

// Describes the replayed subjects: a line for the recording, and one for each subsystem.
std::string subjects_text(const replay::replay_session& session);

// A table for each subsystem: contenders from the fastest to the slowest, a column for each touch
// level; then those that have no figure, and why.
std::string outcomes_text(const replay::replay_session& session,
                          const std::vector<replay::replay_outcome>& outcomes, bool colour);

// Tells the cost of the loop itself; empty where it was not measured.
std::string loop_text(const std::vector<lab::cell_result>& cells);

}  // namespace mallard::cli
