#include "whatif/race.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "whatif/gain.hpp"

namespace mallard::whatif {
namespace {

double seconds_of(const contender& one) {
  return one.runs.empty() ? 0.0 : median_of(one.runs, &run_figures::seconds);
}

}  // namespace

std::vector<std::size_t> leaving(const std::vector<racer>& field, double seconds) {
  constexpr std::size_t fewest = 2;
  std::vector<std::size_t> order(field.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(!field[a].stays, -field[a].gain, a) <
           std::tuple(!field[b].stays, -field[b].gain, b);
  });
  std::size_t stay = 0;
  for (; stay < order.size(); ++stay) {
    seconds -= field[order[stay]].seconds;
    if (seconds < 0 && stay >= fewest && !field[order[stay]].stays) break;
  }
  order.erase(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(stay));
  return order;
}

// The bound is that of the faster one, and known when others are.
void race::rest_ideal(unsigned rounds, const comparison& now) {
  constexpr unsigned enough_of_both = 2, enough = 7;
  contender* best = nullptr;
  for (contender& one : all_) {
    if (!one.ideal || one.fell_behind || !one.remark.empty() || one.runs.empty()) continue;
    one.fell_behind = rounds >= enough;
    if (rounds < enough_of_both) continue;
    if (best == nullptr) {
      best = &one;
      continue;
    }
    const bool slower = now.is_slower(one, *best);
    (slower ? one : *best).fell_behind = true;
    if (!slower) best = &one;
  }
}

void race::leave_far_behind(double passed) {
  for (contender& one : all_) one.count_first();
  goes_on(0, passed);
  for (contender& one : all_) {
    one.runs.clear();
    one.saved.clear();
  }
}

// After so many rounds. Those stay whose gain may be the best: it reaches the least that the
// leader gained. The fewer the rounds, the more a way has to be behind to leave. Of what is
// routed a few runs tell little: much is taken off. The margins are what runs of the same program
// differ on a virtual machine whose host slows it by a half for a while.
bool race::goes_on(unsigned rounds, double passed) {
  constexpr unsigned enough = 7;
  constexpr std::array margins = {1.6, 1.4, 1.2, 1.05, 1.02, 1.02, 1.02, 1.0};
  constexpr std::array of_routed = {100.0, 3.0, 2.0, 1.3, 1.1, 1.05, 1.02, 1.0};
  static_assert(margins.size() == enough + 1 && of_routed.size() == enough + 1);
  const unsigned at = std::min(rounds, enough);
  const comparison now(all_, seed_);
  std::vector<standing> all;
  double to_reach = 1;  // that of the program as it is
  unsigned left = 0;
  contender* leader = nullptr;  // the best in the median, if that is about the program's own
  double leader_gain = 0.95;
  bool is_decided = true;  // all that gains in the median does so for sure
  for (contender& one : std::span(all_).first(first_hidden_).subspan(hook_alone + 1)) {
    if (one.ideal || one.fell_behind || !one.remark.empty()) continue;
    ++left;
    const auto gain = now.gain(one);
    const double margin = one.hooked && !one.in_turns ? of_routed[at] : margins[at];
    // The more is taken off, the more of what is left is noise; and too little to tell is not
    // behind.
    const double times_the_rest = gain ? now.times_what_is_left(one, gain->median) : enough;
    const bool tells = !one.hooked || rounds >= std::min<double>(enough, 2 * times_the_rest);
    const double may_gain = gain ? gain->high * margin : 0;
    all.push_back({&one, gain ? gain->median : 1,
                   tells ? may_gain : std::numeric_limits<double>::infinity()});
    if (!tells) continue;
    if (gain && gain->median > leader_gain) {
      leader = &one;
      leader_gain = gain->median;
    }
    constexpr double of_interest = 1.03;
    if (gain && gain->median >= of_interest && gain->low <= 1) is_decided = false;
    if (gain) to_reach = std::max(to_reach, gain->low / margin);
  }
  rest_ideal(rounds, now);
  for (const standing& one : all) {
    one.who->fell_behind = one.may_gain < to_reach;
    left -= one.who->fell_behind;
  }
  // The verdict is about the leader.
  if (leader != nullptr && leader->fell_behind && rounds < enough_runs) {
    leader->fell_behind = false;
    ++left;
  }
  leave_for_want_of_time(all, rounds, passed);
  leave_with_their_ways();
  if (seconds_ > 0) leave_until_a_round_fits(std::move(all), seconds_ - passed);
  return left > 1 || (left == 1 && (rounds < enough || !is_decided));
}

// Returns: the best gain of mallocs, and of resources.
std::array<double, 2> race::best_gains(const std::vector<standing>& all) {
  std::array<double, 2> out{};
  for (const standing& one : all) out[one.who->hooked] = std::max(out[one.who->hooked], one.gain);
  return out;
}

// The program as it is, and the mallocs below ways or below their controls.
std::vector<bool> race::running_anyway(const std::vector<standing>& all) const {
  std::vector<bool> out(all_.size());
  for (const standing& one : all) {
    const contender& who = *one.who;
    if (who.hooked) out[who.in_turns ? who.below : all_[who.control].below] = true;
  }
  out[as_it_is] = true;
  return out;
}

// A way takes its share of its control's time. The best malloc and the best resource stay: few runs
// do not tell which of them is better, unless two say that one gains nothing. So do those that one
// run in turns would tell much of.
std::vector<racer> race::field_of(const std::vector<standing>& all,
                                  const std::vector<bool>& runs_anyway, unsigned rounds) const {
  constexpr unsigned enough_for_no_gain = 2;
  const auto share_of_control = [&](const contender& of) {
    const auto sharing = std::count_if(all.begin(), all.end(), [&](const standing& other) {
      return !other.who->in_turns && other.who->control == of.control;
    });
    return of.hooked && !of.in_turns ? seconds_of(all_[of.control]) / static_cast<double>(sharing)
                                     : 0.0;
  };
  const std::array best = best_gains(all);
  std::vector<racer> out;
  for (const standing& one : all) {
    const contender& who = *one.who;
    const bool is_anyway = runs_anyway[static_cast<std::size_t>(&who - all_.data())];
    const bool tells_much = who.in_turns && who.saved.empty();
    out.push_back({one.gain, is_anyway ? 0 : seconds_of(who) + share_of_control(who),
                   tells_much || (one.gain >= best[who.hooked] &&
                                  (one.gain > 1 || rounds < enough_for_no_gain))});
  }
  return out;
}

// Where the time would be over before the best had runs enough to be proved, those that gain
// least leave, an ideal malloc first. After two runs or fewer, what is close to the best of its
// kind stays if a round of all leaves the time to prove the best: a guess among those that are
// close is worth less.
void race::leave_for_want_of_time(std::vector<standing> all, unsigned rounds, double passed) {
  constexpr unsigned few = 2;
  constexpr double close = 1.25;
  if (seconds_ <= 0 || rounds >= enough_runs) return;
  std::erase_if(all, [](const standing& one) { return one.who->fell_behind; });
  const std::vector<bool> runs_anyway = running_anyway(all);
  std::vector<racer> field = field_of(all, runs_anyway, rounds);
  double base = 0, of_ideal = 0, of_all = 0, of_best = 0;  // seconds in a round
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (runs_anyway[i]) base += seconds_of(all_[i]);
    if (all_[i].ideal && !all_[i].fell_behind) of_ideal += seconds_of(all_[i]);
  }
  for (const racer& one : field) {
    of_all += one.seconds;
    if (one.stays) of_best += one.seconds;
  }
  const unsigned rounds_left = enough_runs - rounds;
  const double seconds_left = seconds_ - passed;
  // A round too many, since rounds take longer than the first runs say.
  const double with_best = (rounds_left + 1) * (base + of_best);
  if (rounds > 0 && with_best + rounds_left * of_ideal > seconds_left) {
    for (contender& one : all_) one.fell_behind = one.fell_behind || one.ideal;
    of_ideal = 0;
  }
  const bool has_time_for_close = of_ideal + of_all - of_best + with_best <= seconds_left;
  const std::array best = best_gains(all);
  for (std::size_t i = 0; rounds < few && has_time_for_close && i < all.size(); ++i) {
    field[i].stays = field[i].stays || all[i].gain * close >= best[all[i].who->hooked];
  }
  for (const std::size_t i : leaving(field, seconds_left / rounds_left - base - of_ideal)) {
    all[i].who->fell_behind = true;
  }
}

double race::seconds_of_a_round() const {
  double out = 0;
  for (const contender& one : all_) {
    if (!one.remark.empty() || one.fell_behind) continue;
    const contender& similar = one.names_first ? all_[one.control] : one;
    out += one.runs.empty() ? similar.first.seconds : median_of(one.runs, &run_figures::seconds);
  }
  return out;
}

// The time that is left is better spent on those that gain most than on none. The best malloc and
// the best resource leave last, as few runs do not tell which of them is better.
void race::leave_until_a_round_fits(std::vector<standing> all, double seconds) {
  std::erase_if(all, [](const standing& one) { return one.who->fell_behind; });
  std::sort(all.begin(), all.end(),
            [](const standing& a, const standing& b) { return a.gain > b.gain; });
  const auto other_kind = std::find_if(all.begin(), all.end(), [&](const standing& one) {
    return one.who->hooked != all.front().who->hooked;
  });
  if (other_kind != all.end()) std::rotate(all.begin() + 1, other_kind, other_kind + 1);
  const auto fits = [&] { return seconds_of_a_round() <= seconds; };
  for (contender& one : all_) {
    if (one.ideal && !one.runs.empty() && !fits()) one.fell_behind = true;
  }
  for (; all.size() > 1 && !fits(); all.pop_back()) {
    all.back().who->fell_behind = true;
    leave_with_their_ways();
  }
}

void race::leave_with_their_ways() {
  std::vector<bool> is_needed(all_.size());
  const auto need = [&](bool controls) {
    for (const contender& one : all_) {
      const bool runs = one.remark.empty() && !one.fell_behind;
      if (!one.hooked || one.is_control != controls || !runs) continue;
      is_needed[one.is_control || one.in_turns ? one.below : one.control] = true;
    }
  };
  need(false);
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].is_control) all_[i].fell_behind = !is_needed[i];
  }
  need(true);
  for (std::size_t i = hook_alone; i < all_.size(); ++i) {
    if (is_needed[i]) all_[i].fell_behind = false;
    const bool is_hidden_malloc = i >= first_hidden_ && !all_[i].is_control;
    if (is_hidden_malloc) all_[i].fell_behind = !is_needed[i];
  }
}

}  // namespace mallard::whatif
