#include "profile/views/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "profile/analysis.hpp"
#include "profile/export/stack_formats.hpp"
#include "profile/import/summed_dims.hpp"
#include "profile/sites.hpp"
#include "profile/views/trace_views.hpp"

namespace mallard::profile {

program_sums sum_up(trace_reader& trace, bool by_line, double least_share) {
  const function_table functions(trace);
  trace_analysis analysis(trace, functions, {});
  view_maker views(trace, functions, analysis.shown_subsystems(0));
  site_counter sites(trace, functions);
  block_watcher* const also[] = {&views, &sites};
  const dims_result dims = analysis.finish(also);
  program_sums out;
  out.command = dims.command;
  out.duration = dims.duration;
  out.total = dims.total;
  out.sites = sites.list(by_line);
  out.stacks = views.take(sites.weights(), least_share).stacks;
  out.has_stacks = trace.stacks().size() > 1;
  out.not_recorded = dims.not_recorded;
  return out;
}

program_sums sum_up(summed_profile program, bool by_line) {
  const dims_result dims = dims_of(program, {});
  program_sums out;
  out.command = dims.command;
  out.total = dims.total;
  out.sites = sites_of(program.stacks, by_line);
  name_stackless(program.stacks);
  out.stacks = std::move(program.stacks);
  out.not_recorded = dims.not_recorded;
  return out;
}

std::vector<site_change> changes(const program_sums& before, const program_sums& after) {
  std::map<std::tuple<std::string, std::string, std::uint32_t>, site_change> places;
  for (const site& one : before.sites) places[{one.function, one.file, one.line}].before = one;
  for (const site& one : after.sites) places[{one.function, one.file, one.line}].after = one;
  std::vector<site_change> out;
  for (auto& [place, one] : places) out.push_back(std::move(one));
  return out;
}

std::string to_collapsed_difference(const stack_profile& before, const stack_profile& after,
                                    const weight_kind& weight) {
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> stacks;
  for_each_collapsed(before, weight, [&](const std::string& stack, std::uint64_t value) {
    stacks[stack].first += value;
  });
  for_each_collapsed(after, weight, [&](const std::string& stack, std::uint64_t value) {
    stacks[stack].second += value;
  });
  std::string text;
  for (const auto& [stack, values] : stacks) {
    text += fmt::format("{} {} {}\n", stack, values.first, values.second);
  }
  return text;
}

}  // namespace mallard::profile
