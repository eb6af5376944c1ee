#include "advise/trial.hpp"

#include <stdexcept>
#include <string_view>

#include "profile/function_names.hpp"
#include "whatif/whatif.hpp"

namespace mallard::advise {
namespace {

// What is not told apart by so many is the same to a user.
constexpr unsigned most_rounds = 25;

std::string escaped(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// What-if knows no pools that threads share: the route itself is shared by all of them.
std::string route_strategy(strategy how) {
  switch (how) {
    case strategy::monotonic:
      return "monotonic";
    case strategy::multipool:
    case strategy::synchronized_multipool:
      return "multipool";
    case strategy::multipool_on_monotonic:
      return "multipool-on-monotonic";
    case strategy::heap:
    case strategy::synchronized_heap:
      return "heap";
    case strategy::adaptive_pool:
      return "adaptive-pool";
    default:
      return {};
  }
}

std::string named(const std::string& function) {
  return "(^|[ *&])" + escaped(profile::short_name(function)) + "($|\\W)";
}

// What routes what a subsystem allocates; empty where its function has no name: a place in a file
// stands for it then.
std::string route_pattern(const candidate& one) {
  const std::string name = profile::short_name(one.where.function);
  if (name.empty() || profile::is_nameless(name)) return {};
  std::string out = "function:" + named(name);
  for (const std::string& by : one.kept_by) out += "+not:" + named(by);
  return out;
}

void take_outcome(advice& of, const whatif::whatif_outcome& outcome) {
  of.tried_remark = outcome.remark;
  if (!outcome.remark.empty() || outcome.gains.empty()) return;
  of.tried = trial_figures{{outcome.low, outcome.median, outcome.high},
                           static_cast<unsigned>(outcome.gains.size()),
                           outcome.memory};
}

}  // namespace

std::string route_of(const candidate& one) {
  const std::string pattern = route_pattern(one);
  const std::string how = route_strategy(one.how);
  return pattern.empty() || how.empty() ? std::string() : pattern + '=' + how;
}

bool can_be_tried(const advice& one) {
  return one.from.how != strategy::leave && !one.tried && one.tried_remark.empty();
}

void try_on_program(advice_report& report, const std::vector<std::string>& command,
                    const trial_options& options) {
  whatif::whatif_options wanted;
  wanted.command = command;
  wanted.repetitions = options.repetitions;
  wanted.races = options.races;
  wanted.time_budget = options.time_budget;
  wanted.last_start = options.last_start;
  wanted.names_survivors = false;
  wanted.library = options.library;
  wanted.interrupted = options.interrupted;
  wanted.runner = options.runner;
  wanted.as_it_was = options.as_it_was;
  std::vector<std::pair<std::string, advice*>> tried;  // by the outcome's name
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
  if (tried.empty()) return;
  try {
    const whatif::whatif_result result = whatif::try_whatif(wanted);
    report.on_the_program = true;
    for (const auto& [name, one] : tried) {
      for (const whatif::whatif_outcome& outcome : result.outcomes) {
        if (outcome.variant == name) take_outcome(*one, outcome);
      }
    }
  } catch (const std::runtime_error& problem) {
    for (const auto& [name, one] : tried) one->tried_remark = problem.what();
  }
}

std::size_t runs_of_a_round(const advice_report& report) {
  // Beside the ways, as it is and with the hook alone; a resource's way is gone twice, too.
  std::size_t runs = 2;
  for (const advice& one : report.advices) runs += one.from.how == strategy::switch_malloc ? 1 : 2;
  return runs;
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
