#include "replay/decode.hpp"

#include <algorithm>

#include "profile/analysis.hpp"
#include "profile/nearest_names.hpp"
#include "profile/trace/lacks.hpp"
#include "replay/program_builder.hpp"
#include "replay/survey.hpp"

namespace mallard::replay {
namespace {

using profile::grouping;

constexpr std::uint64_t most_operations = 50'000'000;
// An arena scope is a subsystem's if at least this share of its blocks is allocated inside.
constexpr double scope_share = 0.99;

void check(const profile::trace_reader& trace, const decode_options& options) {
  const profile::process_info& process = trace.facts().process;
  const auto fail = [](const std::string& why) { throw replay_error(why); };
  if (trace.event_count() == 0) fail("the trace is empty: there is nothing to replay");
  if (trace.event_count() > most_operations) {
    fail("the trace has " + std::to_string(trace.event_count()) + " operations, and at most " +
         std::to_string(most_operations) +
         " can be replayed: take a part of it with 'mallard cut'");
  }
  if (profile::lacks(process, "frees")) fail("the trace does not say when blocks were freed");
  if (profile::lacks(process, "threads") && !options.one_lane) {
    fail("the trace does not say which thread did what: replay it with --order serial");
  }
  if (profile::lacks(process, "times") && options.think != think_time::none) {
    fail("the trace has no times: replay it with --think none");
  }
  if (trace.stacks().size() <= 1 || trace.facts().process.sample_stacks > 1) {
    fail(trace.stacks().size() <= 1
             ? "the trace has no stacks, so its subsystems are not known: record it with them"
             : "only some operations of the trace have stacks: record it without --sample-stacks");
  }
  const auto by = options.grouping.by;
  if (by == grouping::scope || by == grouping::resource || by == grouping::thread) {
    fail(
        "what is replayed is found by functions: group by found, module, namespace or function, "
        "or give rules");
  }
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view wanted,
                                       const std::vector<std::string>& names) {
  struct candidate {
    std::size_t far;
    std::size_t place;
    auto operator<=>(const candidate&) const = default;
  };
  std::vector<candidate> order;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool inside = !wanted.empty() && names[i].find(wanted) != std::string::npos;
    order.push_back({inside ? 0 : profile::edit_distance(wanted, names[i]), i});
  }
  std::sort(order.begin(), order.end());
  if (order.size() > 3) order.resize(3);
  std::vector<std::string> nearest;
  for (const candidate& one : order) nearest.push_back(names[one.place]);
  return nearest;
}

trace_decoder::trace_decoder(profile::trace_reader& trace, const decode_options& options)
    : trace_(trace),
      options_((check(trace, options), options)),
      functions_(trace),
      survey_(survey_trace(trace, options)) {
  profile::analysis_options asked;
  asked.subsystems = options.grouping;
  asked.windows = 0;
  profile::trace_analysis analysis(trace, functions_, asked);
  map_ = analysis.shown_subsystems(SIZE_MAX);
  analysis_ = analysis.finish();
  if (survey_.operations == 0) throw replay_error("the trace is empty: there is nothing to replay");
}

std::vector<std::string> trace_decoder::subsystems() const {
  return {map_.names.begin(), map_.names.end() - 1};  // the last are all others, which are none
}

std::vector<bool> trace_decoder::own_stacks(std::string_view subsystem) const {
  if (subsystem == whole_program) return std::vector<bool>(trace_.stacks().size(), true);
  const std::vector<std::string> names = subsystems();
  const auto found = std::find(names.begin(), names.end(), subsystem);
  if (found == names.end()) {
    std::string nearest;
    for (const std::string& name : nearest_names(subsystem, names)) {
      nearest += (nearest.empty() ? "" : ", ") + name;
    }
    throw replay_error("there is no subsystem '" + std::string(subsystem) + "'; the nearest are " +
                       nearest);
  }
  const auto index = static_cast<std::uint32_t>(found - names.begin());
  std::vector<bool> own(trace_.stacks().size());
  for (std::size_t stack = 0; stack < own.size(); ++stack) {
    own[stack] = map_.of_stack[stack] == index;
  }
  return own;
}

// That of the subsystem's own name first, then the outermost that will do.
std::optional<std::uint32_t> trace_decoder::scope_of(std::string_view subsystem,
                                                     const std::vector<bool>& own) const {
  std::vector<std::uint64_t> births(own.size());
  std::uint64_t all = 0;
  for (std::size_t stack = 0; stack < own.size(); ++stack) {
    if (own[stack]) all += births[stack] = survey_.births_of_stack[stack];
  }
  std::vector<const profile::arena_scope*> scopes;
  for (const bool of_its_name : {true, false}) {
    for (const profile::arena_scope& one : analysis_.arena_scopes) {
      const bool is_its = profile::short_name(one.function) == subsystem;
      if (!one.marked && scopes.size() < 50 && is_its == of_its_name) scopes.push_back(&one);
    }
  }
  std::vector<bool> inside(own.size());
  for (const profile::arena_scope* scope : scopes) {
    for (std::uint32_t function = 1; function < functions_.functions().size(); ++function) {
      if (functions_[function].name != scope->function ||
          functions_[function].module != scope->module) {
        continue;
      }
      std::uint64_t covered = 0;
      for (std::uint32_t stack = 1; stack < own.size(); ++stack) {
        inside[stack] = inside[trace_.stacks()[stack].parent] || functions_.of(stack) == function;
        if (inside[stack]) covered += births[stack];
      }
      if (all > 0 && static_cast<double>(covered) >= scope_share * static_cast<double>(all)) {
        return function;
      }
    }
  }
  return std::nullopt;
}

program trace_decoder::decode(std::string_view subsystem) {
  std::vector<bool> own = own_stacks(subsystem);
  const std::optional<std::uint32_t> scope = scope_of(subsystem, own);
  if (scope) {
    // What is allocated outside is not the arena's.
    std::vector<bool> inside(own.size());
    for (std::uint32_t stack = 1; stack < own.size(); ++stack) {
      inside[stack] = inside[trace_.stacks()[stack].parent] || functions_.of(stack) == *scope;
      if (!inside[stack]) own[stack] = false;
    }
    own[0] = false;
  }
  program made =
      program_builder(trace_, functions_, survey_, options_, std::move(own), scope).build();
  if (scope) made.scope = functions_[*scope].name;
  return made;
}

}  // namespace mallard::replay
