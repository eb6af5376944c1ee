// From candidates and what their replays gave to advice, the best first.
//
// A replay says how much faster a subsystem's own operations are. What that gains the program is
// what is saved of the program's time. A strategy is advised if that is told from nothing: else to
// leave the program as it is wins, as it does whenever it is not clearly worse. Another malloc for
// the whole program wins where a strategy is not clearly better, for it changes no source.
#pragma once

#include <string>
#include <vector>

#include "advise/advice.hpp"
#include "profile/result.hpp"
#include "replay/replay.hpp"

namespace mallard::advise {

// Whose resources are replayed.
inline constexpr std::string_view replay_peer = "mallard";

// The replay's name of it, in our library, as containers have it that are bound by abstract base;
// empty: replays do not know it.
std::string replay_name(strategy how);

// `command` is what a shell would be given to run the program. Gives advices, others and remarks;
// the rest of the report is the caller's. `is_timed`: the program's time was measured, and not
// taken from samples of the recording. `malloc`: what it runs on, as replays do not; empty: they
// do.
advice_report rank(const profile::dims_result& dims, const std::vector<candidate>& candidates,
                   const std::vector<replay::replay_outcome>& outcomes, const std::string& command,
                   bool is_timed = false, const std::string& malloc = {});

// A malloc of the machine's.
struct malloc_choice {
  std::string name;
  std::string file;
};

// The same before anything was replayed or tried: all candidates, those with most to gain first,
// and the mallocs. None has a prediction.
advice_report rank_untried(const profile::dims_result& dims,
                           const std::vector<candidate>& candidates,
                           const std::vector<malloc_choice>& mallocs, const std::string& command);

// The program's gain from that of `seconds` of it.
interval gain_of_program(const interval& of_part, double seconds, double program_seconds);

// Why that is no prediction; empty: it is one. `placement`: the share of the program's time that
// where its blocks lie may cost, of which a replay knows nothing.
std::string why_untold(const interval& of_part, double seconds, double program_seconds,
                       double placement);

}  // namespace mallard::advise
