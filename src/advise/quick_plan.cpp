#include "advise/quick_plan.hpp"

#include <algorithm>

namespace mallard::advise {
namespace {

// What no budget stops in the middle, beside the page.
constexpr double rest_seconds = 3;
constexpr double usual_reading = 3;
constexpr double most_replay_seconds = 20;
constexpr double least_replay_seconds = 3;
constexpr double page_readings = 1.5;
// A run with the hook takes longer than one without.
constexpr double hooked = 1.15;
constexpr unsigned most_ways = 3;
// The program runs again until a second has passed, where that is no longer than this.
constexpr double again_seconds = 1;
constexpr double longest_again = 5;
// So many rounds of more ways are worth more than twice as many of fewer.
constexpr double good_rounds = 5;

}  // namespace

double quick_plan::seconds() const {
  return 3 * program_ + 60;
}

bool quick_plan::times_again() const {
  return program_ <= longest_again;
}

double quick_plan::left(double passed) const {
  return seconds() - rest_seconds - std::max(usual_reading, page_readings * reading_) - passed;
}

double quick_plan::last_start() const {
  return seconds() - std::max(usual_reading, page_readings * reading_) - hooked * program_;
}

double quick_plan::replay_seconds(double passed) const {
  const double again = times_again() ? program_ + again_seconds : 0;
  const double trial = (1 + 2 * hooked) * program_ + again;
  return std::clamp(left(passed) - trial, least_replay_seconds, most_replay_seconds);
}

trial_plan quick_plan::trial(double passed, bool needs_hook) const {
  const double runs = left(passed) / (hooked * program_);  // that there is time for
  const double hooks = needs_hook ? 1 : 0;
  trial_plan out;
  if (runs >= 2 + hooks) {
    // Each way runs once before the rounds.
    const double in_good_rounds = runs / (good_rounds + 1) - 1 - hooks;
    out.most = static_cast<unsigned>(std::clamp(in_good_rounds, 1.0, double{most_ways}));
    if (out.most == 1 && runs >= 4) out.most = 2;
    out.seconds_of_rounds = std::max(0.001, left(passed) - hooked * program_ * (1 + 1 + out.most));
  } else if (runs >= 1 + hooks) {
    out.most = 1;
    out.runs_as_it_is = false;
  }
  return out;
}

}  // namespace mallard::advise
