#include "replay/decode.hpp"

#include <sys/utsname.h>

#include <algorithm>

#include "profile/analysis.hpp"
#include "profile/nearest_names.hpp"
#include "profile/trace/facts.hpp"
#include "profile/trace/lacks.hpp"
#include "replay/program_builder.hpp"
#include "replay/survey.hpp"

namespace mallard::replay {
namespace {

using profile::grouping;

constexpr std::uint64_t most_operations = 50'000'000;
// An arena scope belongs to a subsystem if at least this share of its blocks is allocated inside.
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
  const std::string& architecture = process.architecture;
  utsname machine{};
  if (!architecture.empty() && uname(&machine) == 0 && architecture != machine.machine) {
    fail("the trace is of a program on " + architecture + ", and this machine is " +
         machine.machine + ": replay it there");
  }
  if (profile::lacks(process, "frees")) fail("the trace does not say when blocks were freed");
  if (profile::lacks(process, "times") && options.think != think_time::none) {
    fail("the trace has no times: replay it with --think none");
  }
  if (trace.stacks().size() <= 1 || trace.facts().process.sample_stacks > 1) {
    fail(trace.stacks().size() <= 1
             ? "the trace has no stacks, so its subsystems are not known: record it with stacks"
             : "only some operations of the trace have stacks: record it without --sample-stacks");
  }
  if (options.grouping.by == grouping::resource) {
    fail(
        "blocks from a resource are not heap operations: group by found, module, namespace, "
        "function, thread or scope, or give rules");
  }
}

}  // namespace

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
  const auto by = options_.grouping.by;
  // In a grouping by stacks the last name is "others", which is no subsystem.
  if (by != grouping::thread && by != grouping::scope) {
    return {map_.names.begin(), map_.names.end() - 1};
  }
  std::vector<std::string> names;
  for (const profile::subsystem& one : analysis_.subsystems) names.push_back(one.name);
  return names;
}

ownership trace_decoder::find_own(std::string_view subsystem) const {
  ownership own{std::vector<bool>(trace_.stacks().size(), true)};
  if (subsystem == whole_program) return own;
  const std::vector<std::string> names = subsystems();
  const auto found = std::find(names.begin(), names.end(), subsystem);
  if (found == names.end()) {
    const std::vector<std::string> near =
        profile::nearest_names(subsystem, {names.begin(), names.end()}, 3);
    std::string said;
    for (const std::string& name : near)
      said += (said.empty() ? "; the nearest are " : ", ") + name;
    throw replay_error("there is no subsystem '" + std::string(subsystem) + "'" + said);
  }
  const profile::trace_facts& facts = trace_.facts();
  if (options_.grouping.by == grouping::thread) {
    own.threads.resize(survey_.lane_of_thread.size());
    for (std::uint32_t thread = 0; thread < own.threads.size(); ++thread) {
      own.threads[thread] = profile::thread_name(facts, thread) == subsystem;
    }
  } else if (options_.grouping.by == grouping::scope) {
    own.by_scope = true;
    if (subsystem == "(none)") own.scopes.insert(ownership::no_scope);
    for (const auto& [key, name] : facts.names) {
      const bool is_it = key.first == profile::name_kind::scope && name == subsystem;
      if (is_it) own.scopes.insert(key.second);
    }
  } else {
    const auto index = static_cast<std::uint32_t>(found - names.begin());
    for (std::size_t stack = 0; stack < own.stacks.size(); ++stack) {
      own.stacks[stack] = map_.of_stack[stack] == index;
    }
  }
  return own;
}

// Tries first the scope with the subsystem's name, then the outermost that will do.
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
  ownership own = find_own(subsystem);
  // For threads and marked scopes, an epoch ends when nothing lives.
  const bool by_stacks = own.threads.empty() && !own.by_scope;
  const auto scope = by_stacks ? scope_of(subsystem, own.stacks) : std::nullopt;
  if (scope) {
    // The arena does not own blocks allocated outside.
    std::vector<bool> inside(own.stacks.size());
    for (std::uint32_t stack = 1; stack < inside.size(); ++stack) {
      inside[stack] = inside[trace_.stacks()[stack].parent] || functions_.of(stack) == *scope;
      if (!inside[stack]) own.stacks[stack] = false;
    }
    own.stacks[0] = false;
  }
  program made = program_builder(trace_, functions_, survey_, options_, std::move(own), scope,
                                 analysis_.kept_blocks)
                     .build();
  if (scope) made.scope = functions_[*scope].name;
  return made;
}

}  // namespace mallard::replay
