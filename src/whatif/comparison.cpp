#include "whatif/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

namespace mallard::whatif {
namespace {

double run_figures::* figure(const std::vector<run_figures>& plain) {
  return is_by_processor_time(plain) ? &run_figures::processor_seconds : &run_figures::seconds;
}

// Half of the median's 95 % interval, by the deviations' median, which single disturbed rounds do
// not enter; those of normal values with the same median.
double error_of_median(std::span<const double> values, double median) {
  constexpr double standard_deviation = 1.4826, of_median = 1.2533, ninety_five_percent = 1.96;
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - median));
  return ninety_five_percent * of_median * standard_deviation * lab::median(deviations) /
         std::sqrt(static_cast<double>(values.size()));
}

// Not set: too few looks tell nothing.
std::optional<double> heap_share(const contender& of) {
  constexpr std::uint64_t enough = 200;
  if (of.looks.all < enough) return std::nullopt;
  return static_cast<double>(of.looks.in_heap) / static_cast<double>(of.looks.all);
}

}  // namespace

bool is_of_one_thread(const std::vector<run_figures>& plain) {
  constexpr double nearly = 1.1;
  return median_of(plain, &run_figures::processor_seconds) <=
         nearly * median_of(plain, &run_figures::seconds);
}

bool is_by_processor_time(const std::vector<run_figures>& plain) {
  constexpr double little = 0.1;  // of one processor
  const bool alone = median_of(plain, &run_figures::others_seconds) <=
                     little * median_of(plain, &run_figures::seconds);
  return is_of_one_thread(plain) || !alone;
}

comparison::comparison(const std::vector<contender>& all, std::uint64_t seed)
    : all_(all), seed_(seed), time_(figure(all[as_it_is].runs)) {}

interval_of_runs comparison::interval(const std::vector<double>& values) const {
  const lab::interval found = lab::bootstrap_median(values, seed_);
  return {found.low, lab::median(values), found.high, values};
}

// Rounds in which all three ran: in a race a control may have ended before the others.
std::size_t comparison::rounds_of_control(const contender& control) const {
  return std::min(
      {control.runs.size(), all_[control.below].runs.size(), all_[as_it_is].runs.size()});
}

comparison::share comparison::hook_share(const contender& control) const {
  const contender& below = all_[control.below];
  const contender& usual = all_[as_it_is];
  std::vector<double> shares;
  for (std::size_t i = 0; i < rounds_of_control(control); ++i) {
    if (usual.runs[i].*time_ <= 0) continue;
    shares.push_back((control.runs[i].*time_ - below.runs[i].*time_) / usual.runs[i].*time_);
  }
  if (shares.empty()) return {};
  const double median = lab::median(shares);
  return {median, error_of_median(shares, median)};
}

// A host that slows a run slows what is saved in it, too: its share of the run stays.
// How much longer those are than the program's on its malloc, few pairs of runs tell badly.
std::optional<comparison::share> comparison::saved_share(const contender& one) const {
  constexpr double error_of_pair = 0.25;
  const std::vector<run_figures>& without = all_[one.below].runs;
  const std::size_t rounds = std::min({one.saved.size(), one.runs.size(), without.size()});
  std::vector<double> shares, longer;
  for (std::size_t i = 0; i < rounds; ++i) {
    const double own = one.runs[i].processor_seconds;
    if (own <= 0 || without[i].processor_seconds <= 0) continue;
    longer.push_back(own / without[i].processor_seconds);
    for (const double saved : one.saved[i]) shares.push_back(saved / own);
  }
  if (shares.empty()) return std::nullopt;
  const double share = lab::median(shares), times = lab::median(longer);
  const double error_of_times = std::max(
      error_of_median(longer, times), times * error_of_pair / static_cast<double>(longer.size()));
  return comparison::share{
      share * times, std::hypot(error_of_median(shares, share) * times, error_of_times * share)};
}

double comparison::slower_by_hook(const contender& one) const {
  const contender& usual = all_[as_it_is];
  if (!heap_share(usual) || !heap_share(one)) return 1;
  const auto own_seconds = [](const contender& of) {
    return (1 - *heap_share(of)) * median_of(of.runs, &run_figures::processor_seconds);
  };
  const double before = own_seconds(usual);
  return before > 0 ? std::max(1.0, own_seconds(one) / before) : 1;
}

// Turns are too short for the places of blocks to matter much, and in them a resource saves what
// the malloc takes. More than that is half an error, and the more of the time is left out, the more
// an error makes of the gain.
double comparison::believed(const contender& one, double saved) const {
  const std::optional<double> heap = heap_share(all_[as_it_is]);
  if (!one.in_turns || one.below != as_it_is || !heap || saved <= *heap) return saved;
  return (saved + *heap) / 2;
}

double comparison::hook_seconds(const contender& control) const {
  return hook_share(control).median * median_of(all_[as_it_is].runs, time_);
}

std::vector<round_times> comparison::rounds_of(const contender& one) const {
  constexpr double error_of_itself = 0.1;  // of what the hook takes, or a resource saves
  const contender& timed = one.in_turns ? all_[one.below] : one;
  const std::optional<share> off = one.in_turns         ? saved_share(one)
                                   : one.routes.empty() ? share{}
                                                        : hook_share(all_[one.control]);
  if (!off) return {};
  const double error =
      error_of_itself * (one.in_turns ? std::abs(off->median) : std::max(0.0, off->median));
  const std::vector<run_figures>& usual = all_[as_it_is].runs;
  const std::vector<run_figures>& below =
      all_[one.in_turns || one.routes.empty() ? one.below : all_[one.control].below].runs;
  const double without = below.empty() ? 1 : median_of(below, time_) / median_of(usual, time_);
  const double slower = one.routes.empty() ? 1 : slower_by_hook(one);
  std::vector<round_times> out;
  for (std::size_t i = 0; i < std::min({one.runs.size(), timed.runs.size(), usual.size()}); ++i) {
    // Shares are of this: of a malloc below the resource in the one case, of the program in the
    // other.
    const double whole = one.in_turns ? timed.runs[i].*time_ : usual[i].*time_;
    const double took = timed.runs[i].*time_;
    const double usually = one.in_turns ? took : without * usual[i].*time_;
    const double saved = (usually - (took - whole * off->median)) / slower;
    const double left = usually * (1 - believed(one, saved / usually));
    out.push_back({usual[i].*time_, took, took - left, whole * error, whole * off->noise});
  }
  return out;
}

double comparison::times_what_is_left(const contender& one, double gain) const {
  if (one.in_turns) return 1;  // nothing is taken off its runs
  return median_of(one.runs, time_) * gain / median_of(all_[as_it_is].runs, time_);
}

std::optional<gain_of_rounds> comparison::gain(const contender& one) const {
  return gain_of(rounds_of(one), seed_);
}

// The more of its time is subtracted, the more runs it takes to measure the rest.
std::string comparison::why_no_figure(const contender& one, const whatif_outcome& found,
                                      bool needs_runs) const {
  if (one.only_named) return "there was time for no run but the one that names survivors";
  const double runs_to_tell = std::min<double>(enough_runs, times_what_is_left(one, found.median));
  const bool is_few = needs_runs && !one.routes.empty() && found.runs < runs_to_tell;
  if (!found.gains.empty() && !is_few) return "";
  if (one.in_turns && one.saved.empty()) return "there was no time to serve it in turns";
  if (one.in_turns && !saved_share(one)) {
    return "there are too few turns of its scope to tell what is saved";
  }
  std::string why = one.in_turns
                        ? "too much of its time is saved to measure the rest"
                        : "the trial itself takes too much of the time to measure the gain";
  if (found.runs < enough_runs) {
    why += found.runs == 1 ? " in one run" : fmt::format(" in {} runs", found.runs);
  }
  return why;
}

whatif_outcome comparison::outcome(const contender& one, bool needs_runs) const {
  whatif_outcome out{.variant = one.name,
                     .remark = one.remark,
                     .fell_behind = one.fell_behind,
                     .is_control = one.is_control,
                     .in_turns = one.in_turns};
  out.routes = one.of_routes;
  for (std::size_t i = 0; i < std::min(out.routes.size(), one.survivors.size()); ++i) {
    out.routes[i].survivor_names = one.survivors[i];
  }
  if (one.runs.empty() || !one.remark.empty()) return out;
  out.runs = static_cast<unsigned>(one.runs.size());
  out.seconds = interval(each(one.runs, &run_figures::seconds));
  out.processor_seconds = interval(each(one.runs, &run_figures::processor_seconds));
  out.resident_bytes = interval(each(one.runs, &run_figures::resident_bytes));
  out.page_faults = interval(each(one.runs, &run_figures::page_faults));
  if (auto found = gain(one)) {
    out.low = found->low;
    out.median = found->median;
    out.high = found->high;
    out.gains = std::move(found->samples);
  }
  if (std::string why = why_no_figure(one, out, needs_runs); !why.empty()) {
    out.gains.clear();
    out.low = out.median = out.high = 0;
    out.remark = std::move(why);
  }
  out.metric = metric_of(one);
  out.memory = memory_of(one);
  return out;
}

// The hook's own memory is no part of a program that was written with the resources. Nothing is
// told where it is more than the program's: it has some for each thread, and as many live at once
// as the scheduler likes.
double comparison::memory_of(const contender& one) const {
  const auto resident = [](const contender& of) {
    return of.runs.empty() ? 0 : median_of(of.runs, &run_figures::resident_bytes);
  };
  const double usual = resident(all_[as_it_is]);
  double hooks = 0;
  double own = resident(one);
  if (one.in_turns) {
    hooks = one.hook_bytes;
    own = static_cast<double>(one.first.resident_bytes);
  } else if (const contender& control = all_[one.control]; !one.routes.empty()) {
    hooks = std::max(0.0, resident(control) - resident(all_[control.below]));
  }
  return usual <= 0 || hooks > usual ? 0 : std::max(0.0, own - hooks) / usual;
}

std::optional<metric_of_runs> comparison::metric_of(const contender& one) const {
  const std::vector<run_figures>& plain = all_[as_it_is].runs;
  std::vector<double> values, shares;
  for (std::size_t i = 0; i < one.runs.size(); ++i) {
    const double value = one.runs[i].metric;
    if (!std::isfinite(value)) continue;
    values.push_back(value);
    if (i >= plain.size()) continue;
    const double usual = plain[i].metric * metric_by_hook(one, i);
    if (usual > 0) shares.push_back(value / usual);
  }
  if (values.empty() || shares.empty()) return std::nullopt;
  return metric_of_runs{interval(values), interval(shares)};
}

// Times as large as it would be without the hook.
double comparison::metric_by_hook(const contender& one, std::size_t round) const {
  const contender& control = all_[one.control];
  const std::vector<run_figures>& without = all_[control.below].runs;
  if (one.routes.empty() || round >= rounds_of_control(control)) return 1;
  const double times = control.runs[round].metric / without[round].metric;
  return std::isfinite(times) && times > 0 ? times : 1;
}

}  // namespace mallard::whatif
