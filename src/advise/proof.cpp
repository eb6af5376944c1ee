#include "advise/proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "advise/advice_text.hpp"
#include "advise/bound.hpp"
#include "replay/replay.hpp"

namespace mallard::advise {
namespace {

// A smaller difference is none to a user.
constexpr double of_interest = 1.05;
// An interval of this part of its median says enough.
constexpr double narrow = 0.2;

// By so much the median of so few runs is too high once in ten times: of 187 ways and programs on a
// virtual machine, by hand, 23, 17, 8 and 6 % of one to four runs. Turns within one run tell as
// much as some runs do.
double told_by_few(const trial_figures& tried) {
  constexpr std::array<double, enough_runs - 1> margins = {1.25, 1.15, 1.08, of_interest};
  constexpr unsigned runs_in_turns = 3;
  const unsigned runs = tried.runs * (tried.in_turns ? runs_in_turns : 1);
  return margins[std::min<std::size_t>(std::max(runs, 1U), margins.size()) - 1];
}

std::string runs_text(unsigned runs) {
  return runs == 1 ? "one run" : fmt::format("{} runs", runs);
}

std::string why_dropped(const trial_figures& tried) {
  const std::string where = tried.runs < enough_runs
                                ? fmt::format(" in {} of the program", runs_text(tried.runs))
                                : " on the program";
  const bool slower =
      tried.runs < enough_runs ? tried.times.median < 1 / told_by_few(tried) : tried.times.high < 1;
  return (slower ? "slower" : "no clear difference") + where;
}

// A few runs that gained far more than the heap takes were disturbed: where blocks lie does not
// make up for so much, and for nothing where there are hardly any.
bool is_too_good(const trial_figures& tried, const std::optional<profile::heap_share>& heap) {
  if (tried.runs >= enough_runs || !is_known(heap)) return false;
  const double of_placement = heap->high < 0.02 ? 1 : 1.25;
  return tried.times.median > of_placement * bound_times(2 * heap->high, 1);
}

// C code cannot take a resource: what it would have to be given is behind what can be done.
bool is_for_c(const advice& one) {
  return one.from.how != strategy::switch_malloc && !one.from.where.is_cpp;
}

// A trial does not make a pool on an arena anew in each call, as its code does, which takes longer.
bool is_faster_than_its_code(const advice& one) {
  return one.from.how == strategy::multipool_on_monotonic;
}

// A wide interval is no sign of being as fast: each has to reach the other's.
bool is_as_fast(const trial_figures& slower, const trial_figures& faster) {
  return slower.times.high >= faster.times.median && slower.times.median >= faster.times.low;
}

// Few runs differ by chance, and what is taken off their time is not known well: a way that ran
// seldom is not before one that ran often for less.
double told_times(const trial_figures& tried) {
  if (tried.runs >= enough_runs) return tried.times.median;
  return std::min(tried.times.low, tried.times.median / told_by_few(tried));
}

// Two of different kinds have figures that err differently.
bool is_tied(const trial_figures& behind, const trial_figures& first) {
  if (behind.runs >= enough_runs && first.runs >= enough_runs) return is_as_fast(behind, first);
  return of_interest * told_times(behind) >= told_times(first);
}

// A resource that is worth its code where a malloc is as fast. Pools by hand gain less than when
// tried: containers hold the resource, and call it. Without frees an arena makes up for that, if no
// pool on it is made anew in each call. And for main, all containers would have to take it.
bool is_worth_code(const advice& one) {
  return one.from.how == strategy::monotonic && one.from.where.is_cpp &&
         one.from.where.subsystem != "main";
}

// By so much memory more, a way is no longer as good.
constexpr double clearly_more = 1.1;

// A resource's trial is the less exact one: much is taken off its time. So a malloc that is not
// clearly faster comes behind one that is worth its code, unless it takes clearly less memory, and
// before all others.
void prefer_of_tied(std::vector<advice>& ordered) {
  if (ordered.empty() || !ordered.front().tried) return;
  const bool is_malloc = ordered.front().from.how == strategy::switch_malloc;
  if (!is_malloc && is_worth_code(ordered.front())) return;
  const trial_figures first = *ordered.front().tried;
  const auto tied = std::find_if(ordered.begin(), ordered.end(), [&](const advice& one) {
    if (!one.tried || (one.from.how == strategy::switch_malloc) == is_malloc) return false;
    if (is_malloc && !is_worth_code(one)) return false;
    const bool as_fast =
        is_tied(*one.tried, first) || (!is_malloc && one.tried->times.median >= first.times.low);
    return as_fast && one.tried->memory <= clearly_more * first.memory;
  });
  if (tied != ordered.end()) std::rotate(ordered.begin(), tied, tied + 1);
}

// By the trial's figures; then those that were not tried, as they were.
std::vector<advice> ordered(std::vector<advice> all) {
  std::vector<std::size_t> places(all.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::sort(places.begin(), places.end(), [&](std::size_t at, std::size_t other) {
    const advice& a = all[at];
    const advice& b = all[other];
    if (a.tried.has_value() != b.tried.has_value()) return a.tried.has_value();
    if (!a.tried) return at < other;
    if (is_for_c(a) != is_for_c(b)) return is_for_c(b);
    if (is_faster_than_its_code(a) != is_faster_than_its_code(b)) return is_faster_than_its_code(b);
    const double times = told_times(*a.tried), others = told_times(*b.tried);
    return times != others ? times > others : at < other;
  });
  std::vector<advice> out;
  for (const std::size_t at : places) out.push_back(std::move(all[at]));
  prefer_of_tied(out);
  return out;
}

// Drops rivals for the same place, or other mallocs: keeps the fastest, or of those that
// cannot be told from it an arena, or the one that takes the least memory, unless fewer runs speak
// for it.
void keep_best_of_each_place(advice_report& report) {
  constexpr double clearly_less = 0.95;
  std::vector<advice> kept;
  std::vector<std::optional<trial_figures>> fastest;  // of each that is kept
  for (advice& one : report.advices) {
    const bool is_malloc = one.from.how == strategy::switch_malloc;
    const auto rival = std::find_if(kept.begin(), kept.end(), [&](const advice& other) {
      return one.tried && other.tried && is_malloc == (other.from.how == strategy::switch_malloc) &&
             one.from.where.subsystem == other.from.where.subsystem;
    });
    if (rival == kept.end()) {
      fastest.push_back(one.tried);
      kept.push_back(std::move(one));
      continue;
    }
    const auto place = static_cast<std::size_t>(rival - kept.begin());
    const bool tied = is_as_fast(*one.tried, *fastest[place]);
    const bool is_proved = one.tried->runs >= std::min(rival->tried->runs, enough_runs);
    const bool takes_less = is_proved && !is_faster_than_its_code(one) && one.tried->memory > 0 &&
                            one.tried->memory < clearly_less * rival->tried->memory;
    const bool is_sounder = is_proved && is_worth_code(one) && !is_worth_code(*rival) &&
                            one.tried->memory <= clearly_more * rival->tried->memory;
    if (tied && (takes_less || is_sounder)) std::swap(one, *rival);
    const char* const why = is_faster_than_its_code(one)
                                ? "its pool, made anew in each call, takes longer than this trial"
                            : !tied      ? "another is faster here"
                            : is_sounder ? "an arena is as fast here, and by hand pools gain less"
                            : takes_less ? "another is as fast here and takes less memory"
                                         : "another is as fast here, or faster";
    report.others.push_back({one.from, told_gain(one), told_memory(one), why, one.tried});
  }
  report.advices = std::move(kept);
}

constexpr const char* no_time = "time was too short to replay it or to try it";

// Nobody switches to a malloc of which nothing is known.
void drop_guesses(advice_report& report) {
  const auto is_guess = [](const advice& one) {
    return one.from.how == strategy::switch_malloc && !one.tried && one.replays == 0 &&
           !one.untold.empty();
  };
  for (const advice& one : report.advices) {
    if (is_guess(one)) {
      report.others.push_back({one.from, told_gain(one), told_memory(one), no_time, one.tried});
    }
  }
  std::erase_if(report.advices, is_guess);
}

// A gain that was proved on the program is sure, whatever the replay was: its doubts are none then.
void settle_confidence(advice& one) {
  if (one.from.how == strategy::global) return;
  if (one.tried && one.tried->runs >= enough_runs) {
    std::erase_if(one.from.doubts, [](const doubt& each) { return each.of_prediction; });
    const interval& times = one.tried->times;
    one.confidence = times.high - times.low <= narrow * times.median ? "high" : "medium";
    return;
  }
  if (!one.tried) {
    if (one.confidence == "high") one.confidence = "medium";
  } else {
    one.confidence = lowered(one.confidence);
    one.from.doubts.push_back({fmt::format(
        "it was tried in {}: too few to tell how much runs differ", runs_text(one.tried->runs))});
  }
}

// Those that were clearly behind ran less often than the best of them.
unsigned most_runs(const std::vector<considered>& dropped) {
  unsigned most = 0;
  for (const considered& one : dropped) {
    if (one.tried) most = std::max(most, one.tried->runs);
  }
  return most;
}

// The best of the dropped ways whose median gain more runs might prove; null: there is none.
const considered* undecided(const advice_report& report) {
  const considered* best = nullptr;
  for (const considered& one : report.others) {
    if (!one.tried || one.tried->times.median < of_interest) continue;
    if (is_too_good(*one.tried, report.heap)) continue;
    if (best == nullptr || told_times(*one.tried) > told_times(*best->tried)) best = &one;
  }
  return best;
}

bool has_guesses(const advice_report& report) {
  return std::any_of(report.others.begin(), report.others.end(), [](const considered& one) {
    return one.why_not == no_time || one.why_not == replay::no_time_left;
  });
}

advice to_leave_it(const advice_report& report, unsigned runs) {
  advice leave;
  leave.from.how = strategy::global;
  leave.what = has_guesses(report)
                   ? "Leave it for now: time was too short to compare anything"
                   : "Leave it: nothing that was tried makes the program clearly faster";
  leave.confidence = runs < enough_runs ? "low" : "high";
  if (const considered* const best = undecided(report)) {
    leave.what = fmt::format("Leave it for now: {} was {}, but only more runs can confirm that",
                             name_of(best->from), tried_text(*best->tried));
    leave.confidence = "low";
  }
  for (const considered& one : report.others) {
    if (!one.tried || one.tried->times.median < of_interest) continue;
    if (!is_too_good(*one.tried, report.heap)) continue;
    leave.from.doubts.push_back(
        {fmt::format("{} was {}: more than the heap's share of the time allows, so it is taken for "
                     "chance",
                     name_of(one.from), tried_text(*one.tried))});
  }
  leave.from.bound = report.heap ? bound_times(report.heap->share, 1) : 1;
  leave.from.because = {{"D", heap_text(report.heap)}};
  return leave;
}

// Its start is most of it then, and differs by more than an allocator gains.
bool is_too_short(const advice_report& report) {
  constexpr std::uint64_t shortest_ns = 50'000'000;
  return !is_known(report.heap) && report.cpu_ns < shortest_ns;
}

void say_how_far(advice_report& report, unsigned dropped_runs) {
  advice& first = report.advices.front();
  const unsigned runs = first.tried ? first.tried->runs : dropped_runs;
  const bool too_short = runs > 0 && is_too_short(report);
  report.proved = runs >= enough_runs && !too_short &&
                  !(first.from.how == strategy::global && undecided(report) != nullptr);
  if (too_short) {
    report.proof = "Not proved: the program is too short. Give it more work.";
    first.confidence = "low";
  } else if (report.proved) {
    report.proof = fmt::format("Proved on the program, in {}.", runs_text(runs));
  } else if (runs >= enough_runs) {
    report.proof =
        fmt::format("Not proved: the {} on the program differ too much.", runs_text(runs));
  } else if (runs > 0) {
    report.proof =
        fmt::format("Not proved: there was time to try it in {} of the program.", runs_text(runs));
  } else if (first.from.how == strategy::global) {
    report.proof = has_guesses(report)
                       ? "Not proved: give it more time."
                       : "Nothing was tried on the program: there was nothing to try.";
  } else {
    report.proof = first.replays > 0
                       ? "Not proved: predicted only by replay, and not tried on the program"
                       : fmt::format("Not proved: {}", no_time);
    report.proof += first.tried_remark.empty() ? "." : ": " + first.tried_remark + '.';
  }
}

// The way to its death is no work of the program.
void say_that_it_dies(advice_report& report) {
  advice& first = report.advices.front();
  report.proved = false;
  report.proof = fmt::format("Not proved: the program dies of {} each time.", report.died_of);
  first.what =
      fmt::format("The program dies of {}: fix that first. {}", report.died_of, first.what);
  first.confidence = "low";
}

}  // namespace

std::string lowered(const std::string& confidence) {
  return confidence == "high" ? "medium" : "low";
}

bool holds(const trial_figures& tried) {
  if (tried.runs < enough_runs) {
    return tried.times.median > told_by_few(tried) && (tried.runs == 1 || tried.times.low > 1);
  }
  return tried.times.low > 1 && tried.times.median >= least_gain;
}

void drop_what_did_not_hold(advice_report& report) {
  std::vector<advice> kept;
  for (advice& one : report.advices) {
    const bool too_good = one.tried && is_too_good(*one.tried, report.heap);
    if (!one.tried || (holds(*one.tried) && !too_good)) {
      kept.push_back(std::move(one));
      continue;
    }
    const std::string why =
        too_good ? "more than the heap takes: something disturbed the runs without it"
                 : why_dropped(*one.tried);
    report.others.push_back({one.from, told_gain(one), told_memory(one), why, one.tried});
  }
  report.advices = std::move(kept);
}

void settle(advice_report& report) {
  drop_what_did_not_hold(report);
  report.advices = ordered(std::move(report.advices));
  keep_best_of_each_place(report);
  drop_guesses(report);
  unsigned dropped_runs = 0;
  if (report.advices.empty()) {
    dropped_runs = most_runs(report.others);
    report.advices.push_back(to_leave_it(report, dropped_runs));
  }
  take_measured_bound(report);
  for (advice& one : report.advices) settle_confidence(one);
  say_how_far(report, dropped_runs);
  if (!report.died_of.empty()) say_that_it_dies(report);
}

std::string predicted_text(const advice& one) {
  if (!one.untold.empty()) return "no figure: " + one.untold;
  return one.replays == 1 ? fmt::format("{:.2f} in one replay", one.gain.median)
                          : times_text(one.gain);
}

std::string tried_times_text(const trial_figures& tried) {
  if (tried.runs >= enough_runs) return times_text(tried.times);
  const std::string low = fmt::format("{:.2f}", tried.times.low);
  const std::string high = fmt::format("{:.2f}", tried.times.high);
  return low == high ? low : low + " to " + high;
}

std::string tried_text(const trial_figures& tried) {
  return fmt::format("{} in {}", tried_times_text(tried), runs_text(tried.runs));
}

}  // namespace mallard::advise
