#include "advise/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "advise/proof.hpp"
#include "profile/function_names.hpp"
#include "whatif/whatif.hpp"

namespace mallard::advise {
namespace {

// Ways that so many rounds do not tell apart are the same to a user.
constexpr unsigned most_rounds = 25;

std::string escaped(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// The route itself chooses what several threads share.
std::string route_strategy(strategy how) {
  const strategy routed = facts_of(how).routed_as;
  return is_route(routed) ? std::string(to_string(routed)) : std::string();
}

std::string named(const std::string& function) {
  return "(^|[ *&])" + escaped(profile::short_name(function)) + "($|\\W)";
}

// The pattern that routes a subsystem's blocks; empty where its function has no name: a place in a
// file stands for it then.
std::string route_pattern(const candidate& one) {
  if (one.loop) {
    return fmt::format("line:{}:{}-{}", profile::file_name(one.loop->file), one.loop->first,
                       one.loop->last);
  }
  const std::string name = profile::short_name(one.where.function);
  if (name.empty() || profile::is_nameless(name)) return {};
  std::string out = "function:" + named(name);
  for (const std::string& by : one.kept_by) out += "+not:" + named(by);
  return out;
}

trial_figures figures_of(const whatif::whatif_outcome& outcome) {
  trial_figures out{{outcome.low, outcome.median, outcome.high},
                    static_cast<unsigned>(outcome.gains.size()),
                    outcome.memory,
                    {},
                    outcome.in_turns};
  if (outcome.metric) {
    const whatif::interval_of_runs& share = outcome.metric->share;
    out.metric = {outcome.metric->value.median, {share.low, share.median, share.high}};
  }
  return out;
}

void take_outcome(advice& of, const whatif::whatif_outcome& outcome) {
  of.tried_remark = outcome.remark.empty() && never_ended(outcome)
                        ? "its blocks were never all dead in the trial, so the arena only grew"
                        : outcome.remark;
  if (!of.tried_remark.empty() || outcome.gains.empty()) return;
  of.tried = figures_of(outcome);
}

using named_advices = std::vector<std::pair<std::string, advice*>>;  // by the outcome's name

void take_result(advice_report& report, const whatif::whatif_result& result,
                 const named_advices& tried) {
  if (result.outcomes.empty()) return;  // interrupted
  report.on_the_program = true;
  const auto& metric = result.outcomes.front().metric;
  if (metric && !metric->value.samples.empty()) report.metric_as_it_is = metric->value.median;
  report.resident_as_it_is = result.outcomes.front().resident_bytes.median;
  const std::string elapsed =
      "its threads work at the same time, so runs are compared by elapsed time";
  const auto& told = report.remarks;
  if (!result.by_processor_time && std::find(told.begin(), told.end(), elapsed) == told.end()) {
    report.remarks.push_back(elapsed);
  }
  if (result.ideal) {
    report.bound = trial_figures{{result.ideal->low, result.ideal->median, result.ideal->high},
                                 static_cast<unsigned>(result.ideal->gains.size()),
                                 result.ideal->memory};
  }
  for (const auto& [name, one] : tried) {
    for (const whatif::whatif_outcome& outcome : result.outcomes) {
      if (outcome.variant == name) take_outcome(*one, outcome);
    }
  }
}

whatif::whatif_options whatif_options_for(const std::vector<std::string>& command,
                                          const trial_options& options) {
  whatif::whatif_options wanted;
  wanted.command = command;
  wanted.repetitions = options.repetitions;
  wanted.races = options.races;
  wanted.time_budget = options.time_budget;
  wanted.last_start = options.last_start;
  wanted.refuses_unmet = false;
  wanted.names_survivors = false;
  wanted.library = options.library;
  wanted.runner = options.runner;
  wanted.as_it_was = options.as_it_was;
  wanted.looks = options.looks;
  return wanted;
}

}  // namespace

std::string route_of(const candidate& one) {
  const std::string pattern = route_pattern(one);
  const std::string how = route_strategy(one.how);
  return pattern.empty() || how.empty() ? std::string() : pattern + '=' + how;
}

bool never_ended(const whatif::whatif_outcome& outcome) {
  return std::any_of(
      outcome.routes.begin(), outcome.routes.end(), [](const whatif::route_outcome& one) {
        return one.strategy == to_string(strategy::monotonic) && one.blocks > 0 && one.resets == 0;
      });
}

bool can_be_tried(const advice& one) {
  return one.from.how != strategy::global && !one.tried && one.tried_remark.empty();
}

void try_on_program(advice_report& report, const std::vector<std::string>& command,
                    const trial_options& options) {
  whatif::whatif_options wanted = whatif_options_for(command, options);
  wanted.with_ideal = options.with_ideal;
  named_advices tried;
  for (advice& one : report.advices) {
    if (tried.size() == options.most) break;
    if (!can_be_tried(one) || !options.wanted(one)) continue;
    if (one.from.how == strategy::switch_malloc) {
      wanted.mallocs.push_back(one.from.malloc);
      tried.emplace_back(one.from.malloc, &one);
      continue;
    }
    const std::string pattern = route_pattern(one.from);
    if (pattern.empty()) {
      one.tried_remark = "its function has no name: the program has no symbols";
      continue;
    }
    wanted.variants.push_back({one.what, {{pattern, route_strategy(one.from.how)}}});
    tried.emplace_back(one.what, &one);
  }
  // Mallocs are tried even if something stops the resources.
  for (bool again = !tried.empty(); again;) {
    again = false;
    try {
      take_result(report, whatif::try_whatif(wanted), tried);
    } catch (const std::runtime_error& problem) {
      again = !wanted.variants.empty() && !wanted.mallocs.empty();
      for (const auto& [name, one] : tried) {
        const bool is_malloc = one->from.how == strategy::switch_malloc;
        if (!again || !is_malloc) one->tried_remark = problem.what();
      }
      wanted.variants.clear();
    }
  }
}

std::size_t runs_of_a_round(const advice_report& report, bool with_ideal) {
  // Beside the ways, as it is, and with the hook alone for each place, which our malloc serves. The
  // ideal malloc is two. Where there may be an arena, all resources serve in turns with the
  // program's malloc, without the hook alone.
  const std::size_t others = with_ideal ? 3 : 1;
  std::set<std::string> places, of_arenas;
  bool has_own_malloc = false;
  for (const advice& one : report.advices) {
    if (one.from.how == strategy::switch_malloc) {
      has_own_malloc = has_own_malloc || one.from.malloc == "mallard";
    } else {
      (is_arena(one.from.how) ? of_arenas : places).insert(route_pattern(one.from));
    }
  }
  std::erase_if(places, [&](const std::string& one) { return of_arenas.contains(one); });
  const bool runs_own = !places.empty() && !has_own_malloc;
  return others + places.size() + report.advices.size() + (runs_own ? 1 : 0);
}

namespace {

// The best that holds; null: there is none.
advice* best_tried(advice_report& report, bool is_malloc) {
  advice* best = nullptr;
  for (advice& one : report.advices) {
    if ((one.from.how == strategy::switch_malloc) != is_malloc) continue;
    if (!one.tried || !holds(*one.tried)) continue;
    if (best == nullptr || one.tried->times.median > best->tried->times.median) best = &one;
  }
  return best;
}

}  // namespace

bool needs_second_look(const advice_report& report) {
  advice_report copy;
  copy.advices = report.advices;
  return best_tried(copy, true) != nullptr && best_tried(copy, false) != nullptr;
}

void take_second_look(advice_report& report, const std::vector<std::string>& command,
                      const trial_options& options) {
  advice* const malloc = best_tried(report, true);
  advice* const resource = best_tried(report, false);
  if (malloc == nullptr || resource == nullptr) return;
  whatif::whatif_options wanted = whatif_options_for(command, options);
  wanted.variants.push_back({resource->what,
                             {{route_pattern(resource->from), route_strategy(resource->from.how)}},
                             malloc->from.malloc});
  try {
    for (const whatif::whatif_outcome& one : whatif::try_whatif(wanted).outcomes) {
      if (one.variant != resource->what || one.gains.empty()) continue;
      const trial_figures figures = figures_of(one);
      if (!holds(figures)) continue;
      resource->beside_malloc = malloc->from.malloc;
      resource->tried_beside_malloc = figures;
    }
  } catch (const std::runtime_error&) {
    // The race stands without it.
  }
}

void race_on_program(advice_report& report, const std::vector<std::string>& command,
                     const trial_options& options) {
  trial_options all = options;
  all.most = report.advices.size();
  all.repetitions = most_rounds;
  all.races = true;
  try_on_program(report, command, all);
  std::vector<advice> tried;
  for (advice& one : report.advices) {
    if (one.tried) {
      tried.push_back(std::move(one));
    } else {
      report.others.push_back({one.from, {}, {}, one.tried_remark});
    }
  }
  report.advices = std::move(tried);
}

}  // namespace mallard::advise
