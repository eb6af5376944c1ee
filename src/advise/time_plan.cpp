#include "advise/time_plan.hpp"

#include <algorithm>

#include "whatif/gain.hpp"

namespace mallard::advise {
namespace {

// Work that no budget stops in the middle, beside the page.
constexpr double rest_seconds = 3;
constexpr double usual_reading = 3;
constexpr double most_replay_seconds = 20;
constexpr double least_replay_seconds = 8;
// Seconds kept for reading and replaying before the program is recorded, and what its recorded run
// gets whatever is left.
constexpr double usual_replay_seconds = 15;
constexpr double least_recorded_seconds = 8;
constexpr double page_readings = 1.5;
// A run with the hook takes longer than one without.
constexpr double hooked = 1.15;
constexpr unsigned most_ways = 3;
// A resource needs a run that finds where the program allocates, and in each round one on our
// malloc and one with the hook alone on it.
constexpr double finding = 1;
constexpr double hooks = 2;
// The program runs again until a second has passed, where that is no longer than this.
constexpr double again_seconds = 1;
constexpr double longest_again = 5;
// So many rounds of more ways are worth more than twice as many of fewer.
constexpr double good_rounds = 5;
constexpr double shortest_race = 0.001;  // each way runs once all the same
constexpr double slack_runs = 0.5;       // by which the last round may take longer than expected

// The fewest runs of a trial beside the program as it is, or without that. Without it, the hook
// alone is on the program's malloc.
double runs_of_trial(bool needs_hook, bool beside) {
  if (!needs_hook) return beside ? 2 : 1;
  return finding + (beside ? 2 + hooks : 1 + hooks / 2);
}

}  // namespace

double time_plan::seconds() const {
  if (within_ > 0) return within_;
  return quick_ ? 3 * undisturbed_ + 65 : 10 * undisturbed_ + 300;
}

double time_plan::least(double usual) const {
  constexpr double of_all = 0.15;
  return within_ > 0 ? std::min(usual, of_all * within_) : usual;
}

double time_plan::page_seconds() const {
  constexpr double writing = 0.5;
  return reading_ > 0 ? page_readings * reading_ + writing : usual_reading;
}

double time_plan::recording_seconds(double passed) const {
  // For a malloc or two. A resource takes three, which would leave too little to record.
  constexpr double tried_runs = 2;
  const double others = usual_replay_seconds + tried_runs * hooked * program_;
  return std::max(least(least_recorded_seconds), left(passed) - others);
}

bool time_plan::times_again() const {
  return program_ <= longest_again;
}

double time_plan::left(double passed) const {
  return seconds() - least(rest_seconds) - page_seconds() - passed;
}

double time_plan::last_start() const {
  return seconds() - page_seconds() - hooked * program_;
}

double time_plan::replay_seconds(double passed) const {
  const double again = times_again() ? program_ + again_seconds : 0;
  const double all = left(passed) - again;
  // For a trial of a resource beside the program as it is, or else as it was, or for one of a
  // malloc.
  double keep = 0;
  for (const double runs :
       {runs_of_trial(true, true), runs_of_trial(true, false), runs_of_trial(false, false)}) {
    keep = runs * hooked * program_;
    if (all - keep >= least(least_replay_seconds)) break;
    keep = 0;
  }
  return std::clamp(all - keep, least(least_replay_seconds), most_replay_seconds);
}

bool time_plan::can_replay(double passed) const {
  constexpr double readings = 2;  // a replay decodes the trace for each part
  return replay_seconds(passed) >= readings * reading_;
}

bool time_plan::can_try_after_replays(double passed) const {
  return can_replay(passed) && trial(passed + replay_seconds(passed), true).most > 0;
}

double time_plan::race_seconds(double passed, std::size_t runs, double least_rounds) const {
  const double round = hooked * program_ * static_cast<double>(runs);
  if (left(passed) < least_rounds * round) return 0;
  return std::max(shortest_race, left(passed) - slack_runs * hooked * program_);
}

double time_plan::without_second_look(double race, std::size_t runs) const {
  constexpr double of_all = 0.8;
  constexpr double least_rounds = whatif::enough_runs + 1;  // of which one does not count
  const double round = hooked * program_ * static_cast<double>(runs);
  return of_all * race >= least_rounds * round ? of_all * race : race;
}

bool time_plan::has_time_for(double passed, std::size_t runs, double operations) const {
  constexpr double seconds_of_way = 2e-8;  // of an operation
  const double run = hooked * program_ + seconds_of_way * operations;
  return left(passed) >= good_rounds * run * static_cast<double>(runs);
}

trial_plan time_plan::trial(double passed, bool needs_hook) const {
  const double runs = left(passed) / (hooked * program_);  // that there is time for
  const double beside = runs_of_trial(needs_hook, true);
  trial_plan out;
  if (runs >= beside) {
    // Each way runs once before the rounds.
    const double found = needs_hook ? finding : 0;
    const double others = beside - found - 1;
    const double in_good_rounds = (runs - found) / (good_rounds + 1) - others;
    out.most = static_cast<unsigned>(std::clamp(in_good_rounds, 1.0, double{most_ways}));
    if (out.most == 1 && runs >= beside + 1) out.most = 2;
    out.seconds_of_rounds = std::max(shortest_race, left(passed) - hooked * program_);
  } else if (runs >= runs_of_trial(needs_hook, false)) {
    out.most = 1;
    out.runs_as_it_is = false;
  }
  return out;
}

}  // namespace mallard::advise
