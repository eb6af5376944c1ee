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
  for (contender& one : all_) {
    one.runs = {one.first};
    if (!one.first_saved.empty()) one.saved = {one.first_saved};
  }
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

// Where the time would be over before the best had runs enough to be proved, those that gain
// least leave. The best malloc and the best resource stay: few runs do not tell which of them is
// better. So do those that one run in turns would tell much of. After two runs or fewer, what is
// close to the best of its kind stays, too.
void race::leave_for_want_of_time(std::vector<standing> all, unsigned rounds, double passed) {
  constexpr unsigned few = 2;
  constexpr double close = 1.25;
  if (seconds_ <= 0 || rounds >= enough_runs) return;
  const auto seconds = [](const contender& one) {
    return one.runs.empty() ? 0.0 : median_of(one.runs, &run_figures::seconds);
  };
  double of_a_round = (seconds_ - passed) / (enough_runs - rounds);
  // The malloc below the controls runs as long as a resource does.
  std::vector<bool> is_below(all_.size());
  for (const standing& one : all) {
    const contender& who = *one.who;
    if (!who.hooked || who.fell_behind) continue;
    is_below[who.in_turns ? who.below : all_[who.control].below] = true;
  }
  is_below[as_it_is] = true;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if ((all_[i].ideal && !all_[i].fell_behind) || is_below[i]) of_a_round -= seconds(all_[i]);
  }
  std::erase_if(all, [](const standing& one) { return one.who->fell_behind; });
  // A way takes its share of its control's time.
  const auto share_of_control = [&](const contender& of) {
    const auto sharing = std::count_if(all.begin(), all.end(), [&](const standing& other) {
      return !other.who->in_turns && other.who->control == of.control;
    });
    return of.hooked && !of.in_turns ? seconds(all_[of.control]) / static_cast<double>(sharing)
                                     : 0.0;
  };
  std::array<double, 2> best{};  // of mallocs, of resources
  for (const standing& one : all) {
    best[one.who->hooked] = std::max(best[one.who->hooked], one.gain);
  }
  std::vector<racer> field;
  for (const standing& one : all) {
    const bool runs_anyway = is_below[static_cast<std::size_t>(one.who - all_.data())];
    field.push_back({one.gain, runs_anyway ? 0 : seconds(*one.who) + share_of_control(*one.who),
                     (one.who->in_turns && one.who->saved.empty()) ||
                         one.gain * (rounds < few ? close : 1) >= best[one.who->hooked]});
  }
  for (const std::size_t i : leaving(field, of_a_round)) all[i].who->fell_behind = true;
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
