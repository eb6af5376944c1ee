#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "profile/analysis.hpp"
#include "profile/block_stream.hpp"
#include "profile/budget/budget.hpp"
#include "profile/budget/call_counter.hpp"
#include "profile/functions.hpp"
#include "profile/name_pattern.hpp"
#include "profile/nearest_names.hpp"
#include "profile/trace/lacks.hpp"
#include "profile/trace/symbolizer.hpp"

namespace mallard::profile {
namespace {

struct stack_sum {
  std::uint64_t blocks = 0, bytes = 0, leaks = 0, leaked = 0;
  std::int64_t live = 0;      // bytes; negative if blocks were allocated before the trace
  std::uint64_t at_peak = 0;  // at the whole program's peak
};

// Sums for one pattern. By stack: whether a function on it has such a name; and the live bytes of
// these stacks.
struct pattern_sum {
  std::vector<bool> inside;
  std::uint64_t live = 0, peak = 0;
};

class block_counter final : public block_watcher {
 public:
  block_counter(std::size_t stacks, std::map<std::string, pattern_sum>& patterns)
      : sums(stacks), patterns_(patterns) {}

  std::vector<stack_sum> sums;

  void begin(const live_table<live_block>&) override {}
  void next(const recorded&) override {}
  void operation(const recorded&) override {}
  void born(const recorded&, const live_block& block) override {
    ++sums[block.stack].blocks;
    sums[block.stack].bytes += block.bytes;
    sums[block.stack].live += static_cast<std::int64_t>(block.bytes);
    for (auto& [pattern, sum] : patterns_) {
      if (!sum.inside[block.stack]) continue;
      sum.live += block.bytes;
      sum.peak = std::max(sum.peak, sum.live);
    }
  }
  void died(const recorded&, const live_block& block, const block_end&) override {
    sums[block.stack].live -= static_cast<std::int64_t>(block.bytes);
    for (auto& [pattern, sum] : patterns_) {
      if (sum.inside[block.stack]) sum.live -= block.bytes;
    }
  }
  void outlived(const live_block& block) override {
    ++sums[block.stack].leaks;
    sums[block.stack].leaked += block.bytes;
  }
  void end() override {}
  void at_peak() override {
    for (stack_sum& one : sums) {
      one.at_peak = static_cast<std::uint64_t>(std::max<std::int64_t>(0, one.live));
    }
  }
  void sample(const recorded&) override {}

 private:
  std::map<std::string, pattern_sum>& patterns_;
};

// Each event is checked for each of these functions on its stack.
constexpr std::size_t most_functions = 100;

class checker {
 public:
  checker(trace_reader& trace, const std::vector<budget_rule>& rules, const std::string& program)
      : trace_(trace), rules_(rules), program_(program), functions_(trace) {}

  std::vector<budget_finding> check() {
    analysis_options options;
    options.windows = 1;
    for (const budget_rule& one : rules_) {
      if (one.pattern.empty()) continue;
      const auto [at, fresh] = patterns_.try_emplace(one.pattern);
      if (fresh) at->second.inside = stacks_inside(one.pattern);
      if (is_of_calls(one) && !one.per_call) options.scopes_asked_for.push_back(one.pattern);
    }
    trace_analysis analysis(trace_, functions_, options);
    block_counter blocks(trace_.stacks().size(), patterns_);
    call_counter calls(trace_, functions_, analysis.loads(), functions_with_calls());
    block_watcher* const also[] = {&blocks, &calls};
    dims_ = analysis.finish(also);
    sums_ = std::move(blocks.sums);
    calls_ = calls.found();
    std::vector<budget_finding> out;
    for (const budget_rule& one : rules_) {
      out.push_back(find(one));
      if (!one.pattern.empty()) doubt(out.back());
    }
    return out;
  }

 private:
  // The names of the functions at a stack's innermost frame, inlined ones included.
  std::vector<std::string> names_at(std::uint32_t stack) const {
    std::vector<std::string> names{functions_[functions_.of(stack)].name};
    for (const symbol_line& one : trace_.lines_of(stack)) {
      names.push_back(trace_.symbols().strings[one.function]);
    }
    return names;
  }

  // By stack: whether a function on it has such a name.
  std::vector<bool> stacks_inside(const std::string& pattern) {
    const name_pattern wanted(pattern);
    std::map<std::pair<std::uint64_t, std::uint32_t>, bool> known;  // by address and function
    std::vector<bool> inside(trace_.stacks().size());
    for (std::uint32_t id = 1; id < inside.size(); ++id) {
      const stack_node& node = trace_.stacks()[id];
      if (node.parent != 0 && inside[node.parent]) {
        inside[id] = true;
        continue;
      }
      const auto [at, fresh] = known.try_emplace({node.ip, functions_.of(id)});
      if (fresh) {
        const auto names = names_at(id);
        at->second = std::any_of(names.begin(), names.end(),
                                 [&](const std::string& name) { return wanted.is_in(name); });
      }
      inside[id] = at->second;
    }
    return inside;
  }

  std::vector<std::size_t> functions_named(const std::string& pattern) const {
    const name_pattern wanted(pattern);
    std::vector<std::size_t> out;
    for (std::size_t id = 1; id < functions_.functions().size(); ++id) {
      if (wanted.is_in(functions_.functions()[id].name)) out.push_back(id);
    }
    return out;
  }

  // By function: whether a rule is about its calls.
  std::vector<bool> functions_with_calls() const {
    std::vector<bool> out(functions_.functions().size());
    for (const budget_rule& one : rules_) {
      if (!one.per_call) continue;
      const std::vector<std::size_t> all = functions_named(one.pattern);
      if (all.size() > most_functions) continue;
      for (const std::size_t id : all) out[id] = true;
    }
    return out;
  }

  static bool is_of_calls(const budget_rule& rule) {
    return rule.per_call || rule.what == budget_measure::survivors;
  }

  budget_finding find(const budget_rule& rule) {
    if (is_of_calls(rule)) return of_calls(rule);
    budget_finding out{.rule = rule};
    if (!rule.pattern.empty() && !seen(rule.pattern)) return not_seen(out, all_names());
    std::uint64_t sum = 0, most = 0;
    for (std::uint32_t id = 0; id < sums_.size(); ++id) {
      if (!rule.pattern.empty() && !patterns_.at(rule.pattern).inside[id]) continue;
      const std::uint64_t here = value_of(sums_[id], rule.what);
      sum += here;
      if (here > most) {
        most = here;
        out.where = place_of(id);
      }
    }
    if (rule.what == budget_measure::peak) {
      // The sums by stack are those at the program's peak, not at the function's own.
      if (!rule.pattern.empty()) out.where = {};
      sum = rule.pattern.empty() ? dims_.total.peak_bytes : patterns_.at(rule.pattern).peak;
    }
    out.found = sum;
    return out;
  }

  // Blocks whose outer frames, or whole stacks, are unknown may be the function's, too; and where
  // frees have no stacks, nobody knows at which call blocks died.
  void doubt(budget_finding& found) const {
    if (found.rule.what == budget_measure::survivors &&
        lacks(trace_.facts().process, stacks_of_frees)) {
      found.found.reset();
      found.doubts = call_bounds{0, UINT64_MAX};
      return;
    }
    if (!found.kept()) return;
    const std::vector<bool>& inside = patterns_.at(found.rule.pattern).inside;
    const budget_measure what = found.rule.what == budget_measure::survivors
                                    ? budget_measure::allocations
                                : found.rule.what == budget_measure::peak ? budget_measure::bytes
                                                                          : found.rule.what;
    const bool some_have_none = trace_.facts().process.sample_stacks != 1;
    std::uint64_t more = some_have_none ? value_of(sums_[0], what) : 0;
    for (std::uint32_t id = 1; id < sums_.size(); ++id) {
      if (!inside[id] && functions_.cut(id)) more += value_of(sums_[id], what);
    }
    if (more == 0) return;
    const std::uint64_t least = *found.found;
    found.found = least + more;
    if (found.kept()) {
      found.found = least;
    } else {
      found.found.reset();
      found.doubts = call_bounds{least, least + more};
    }
  }

  static std::uint64_t value_of(const stack_sum& sum, budget_measure what) {
    switch (what) {
      case budget_measure::allocations:
        return sum.blocks;
      case budget_measure::leaks:
        return sum.leaks;
      case budget_measure::leaked:
        return sum.leaked;
      case budget_measure::peak:
        return sum.at_peak;
      default:
        return sum.bytes;
    }
  }

  budget_finding of_calls(const budget_rule& rule) {
    if (rule.per_call) {
      const std::size_t many = functions_named(rule.pattern).size();
      if (many > most_functions) return {.rule = rule, .too_many = many};
    }
    budget_finding out = rule.per_call ? of_each_call(rule) : of_survivors(rule);
    // A function with blocks below it has calls, so it must be inlined everywhere.
    out.is_inlined = !out.found && !out.unclear && seen(rule.pattern);
    if (out.found || out.unclear || out.is_inlined) return out;
    std::set<std::string> scopes = all_names();
    for (const arena_scope& one : dims_.arena_scopes) scopes.insert(one.function);
    return not_seen(out, scopes);
  }

  // A function that is on no stack but in the program allocates nothing: a rule of real-time code
  // hopes for just that.
  budget_finding not_seen(budget_finding out, const std::set<std::string>& similar) {
    const name_pattern wanted(out.rule.pattern);
    for (const named_functions& one : functions_of_files()) {
      const bool is_in = std::any_of(one.names.begin(), one.names.end(),
                                     [&](const std::string& name) { return wanted.is_in(name); });
      if (is_in && one.has_debug_information) out.found = 0;
      if (is_in && !one.has_debug_information && out.may_be_inlined_in.empty()) {
        out.may_be_inlined_in = one.path;
      }
    }
    if (out.found) out.may_be_inlined_in.clear();
    if (!out.found && out.may_be_inlined_in.empty()) {
      out.nearest = nearest_names(out.rule.pattern, similar, 3);
    }
    return out;
  }

  // Those of the process's files that are still there as they were.
  const std::vector<named_functions>& functions_of_files() {
    if (files_) return *files_;
    files_.emplace();
    for (const module_info& one : trace_.facts().modules) {
      std::error_code none;
      const bool there = std::filesystem::is_regular_file(one.path, none);
      if (!there || build_id_of(one.path) != one.build_id) continue;
      files_->push_back(functions_of_file(one.path));
    }
    if (trace_.facts().modules.empty() && !program_.empty()) {
      files_->push_back(functions_of_file(program_));
    }
    return *files_;
  }

  budget_finding of_survivors(const budget_rule& rule) const {
    budget_finding out{.rule = rule};
    const name_pattern wanted(rule.pattern);
    std::optional<call_bounds> bounds;
    for (const arena_scope& one : dims_.arena_scopes) {
      if (!wanted.is_in(one.function)) continue;
      if (!bounds) bounds.emplace();
      bounds->least += one.survivors - one.survivors_guessed;
      bounds->most += one.survivors;
      if (!out.where) out.where = place_of(one);
    }
    return decided(std::move(out), bounds);
  }

  // Reports the bound that decides; if neither does, both.
  static budget_finding decided(budget_finding out, const std::optional<call_bounds>& bounds) {
    if (!bounds) return out;
    out.found = bounds->most;
    out.exact = bounds->exact();
    if (out.kept()) return out;
    out.found = bounds->least;
    if (!out.kept()) return out;
    out.found.reset();
    out.unclear = bounds;
    return out;
  }

  // An inlined copy has no frame, so not all calls are known.
  bool is_inlined_somewhere(const name_pattern& wanted) const {
    for (const auto& [key, one] : trace_.symbols().of) {
      for (std::size_t i = 0; i + 1 < one.lines.size(); ++i) {
        if (wanted.is_in(trace_.symbols().strings[one.lines[i].function])) return true;
      }
    }
    return false;
  }

  // Scopes marked in the source are exact.
  budget_finding of_each_call(const budget_rule& rule) const {
    budget_finding out{.rule = rule};
    const name_pattern wanted(rule.pattern);
    const bool bytes = rule.what == budget_measure::bytes;
    std::optional<call_bounds> bounds;
    const auto add = [&](const call_bounds& more) {
      if (!bounds) bounds.emplace();
      bounds->least = std::max(bounds->least, more.least);
      bounds->most = std::max(bounds->most, more.most);
    };
    for (const arena_scope& one : dims_.arena_scopes) {
      const std::uint64_t most = bytes ? one.max_bytes : one.max_blocks;
      if (one.marked && wanted.is_in(one.function)) add({most, most});
    }
    for (std::size_t id = 1; id < calls_.size(); ++id) {
      const calls_found& one = calls_[id];
      if (one.any && wanted.is_in(functions_.functions()[id].name)) {
        add(bytes ? one.bytes : one.blocks);
      }
    }
    if (!bounds) return out;
    if (is_inlined_somewhere(wanted)) bounds->most = UINT64_MAX;
    return decided(std::move(out), bounds);
  }

  // The place whose blocks survived most often.
  std::optional<budget_place> place_of(const arena_scope& scope) const {
    if (scope.survivor_stacks.empty()) return {};
    return place_of(scope.survivor_stacks.front().stack);
  }

  std::optional<budget_place> place_of(std::uint32_t stack) const {
    if (stack == 0) return {};
    while (trace_.stacks().parent(stack) != 0 &&
           is_allocation_function(functions_[functions_.of(stack)].name)) {
      stack = trace_.stacks().parent(stack);
    }
    const source_line line = functions_.line(stack);
    return budget_place{line.function, line.file, line.line};
  }

  bool seen(const std::string& pattern) const {
    const std::vector<bool>& inside = patterns_.at(pattern).inside;
    return std::find(inside.begin(), inside.end(), true) != inside.end();
  }

  std::set<std::string> all_names() const {
    std::set<std::string> names;
    for (const function& one : functions_.functions()) {
      if (!one.name.empty() && !is_allocation_function(one.name)) names.insert(one.name);
    }
    for (const auto& [place, symbol] : trace_.symbols().of) {
      for (const symbol_line& one : symbol.lines) {
        names.insert(trace_.symbols().strings[one.function]);
      }
    }
    return names;
  }

  trace_reader& trace_;
  const std::vector<budget_rule>& rules_;
  const std::string& program_;
  function_table functions_;
  std::vector<stack_sum> sums_;  // by stack
  std::map<std::string, pattern_sum> patterns_;
  dims_result dims_;
  std::vector<calls_found> calls_;  // by function
  std::optional<std::vector<named_functions>> files_;
};

}  // namespace

std::vector<budget_finding> check_budget(trace_reader& trace, const std::vector<budget_rule>& rules,
                                         const std::string& program) {
  return checker(trace, rules, program).check();
}

}  // namespace mallard::profile
