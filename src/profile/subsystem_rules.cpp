#include "profile/subsystem_rules.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "profile/call_table.hpp"
#include "profile/name_pattern.hpp"

namespace mallard::profile {
namespace {

constexpr double least_share = 0.02;
// A node's children take its place if together they carry this much of it.
constexpr double children_share = 0.8;
constexpr std::size_t most_subsystems = 1000;
const std::string the_rest = "(other)";

// Functions that are somebody's own: not the heap's, not the standard library's, not what starts a
// thread.
bool is_own(const function& one) {
  return !is_allocation_function(one.name) && !is_start_of_thread(one.name) &&
         !short_name(one.name).starts_with("std::") &&
         !short_name(one.name).starts_with("__gnu_cxx::");
}

// The innermost own function of a stack; the innermost of all where none is.
std::uint32_t own_stack(const trace_reader& trace, const function_table& functions,
                        std::uint32_t stack) {
  for (std::uint32_t at = stack; at != 0; at = trace.stacks()[at].parent) {
    if (is_own(functions[functions.of(at)])) return at;
  }
  return stack;
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// The call tree of own functions, and where to cut it.
class call_tree {
 public:
  call_tree(const trace_reader& trace, const function_table& functions,
            const std::vector<stack_load>& loads, const std::vector<arena_scope>& scopes)
      : functions_(functions), nodes_(1) {
    for (const arena_scope& one : scopes) {
      if (!one.trunk && !one.marked) arenas_.insert(one.function);
    }
    for (const function& one : functions.functions()) own_.push_back(is_own(one));
    node_of_.resize(loads.size());
    for (std::uint32_t stack = 1; stack < loads.size(); ++stack) {
      // Parents have smaller numbers: theirs are known.
      node_of_[stack] = child(node_of_[trace.stacks()[stack].parent], functions.of(stack));
      if (loads[stack].operations > 0) add(node_of_[stack], loads[stack]);
    }
    // From the leaves inwards: children come after their parents.
    for (std::size_t id = nodes_.size(); id-- > 1;) {
      add(nodes_[id].parent, nodes_[id].load);
    }
    // Those with enough of the whole are few, and so are their parents.
    for (std::uint32_t id = 1; id < nodes_.size(); ++id) {
      if (share(nodes_[id].load, nodes_[0].load) < least_share) continue;
      heavy_[nodes_[id].parent].push_back(id);
    }
    calls_ = {};
    cut(0);
  }

  std::vector<std::uint16_t> subsystems(subsystem_names& names) const {
    std::vector<std::uint16_t> out(node_of_.size());
    const std::uint16_t rest = names.id(the_rest);
    constexpr std::uint32_t unnamed = UINT32_MAX;
    std::vector<std::uint32_t> of_function(own_.size(), unnamed);
    std::vector<std::uint32_t> cut_above(nodes_.size());
    for (std::uint32_t id = 1; id < nodes_.size(); ++id) {
      cut_above[id] = cut_.contains(id) ? id : cut_above[nodes_[id].parent];
    }
    for (std::size_t stack = 0; stack < node_of_.size(); ++stack) {
      const std::uint32_t at = cut_above[node_of_[stack]];
      out[stack] = rest;
      if (at == 0) continue;
      std::uint32_t& name = of_function[nodes_[at].function];
      if (name == unnamed) name = names.id(short_name(functions_[nodes_[at].function].name));
      out[stack] = static_cast<std::uint16_t>(name);
    }
    return out;
  }

 private:
  struct node {
    std::uint32_t parent = 0;
    std::uint32_t function = 0;
    stack_load load;
  };

  std::uint32_t child(std::uint32_t parent, std::uint32_t function) {
    if (!own_[function] || nodes_[parent].function == function) return parent;
    const auto next = static_cast<std::uint32_t>(nodes_.size());
    const std::uint32_t known = calls_.number(parent, function, next);
    if (known != next) return known;
    node& one = nodes_.emplace_back();
    one.parent = parent;
    one.function = function;
    return next;
  }

  void add(std::uint32_t to, const stack_load& load) {
    nodes_[to].load.bytes += load.bytes;
    nodes_[to].load.operations += load.operations;
    nodes_[to].load.time += load.time;
  }

  static double share(std::uint64_t part, std::uint64_t all) {
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
  }
  // The largest of what the part carries of the whole's bytes, operations and time.
  static double share(const stack_load& part, const stack_load& all) {
    return std::max({share(part.bytes, all.bytes), share(part.operations, all.operations),
                     share(part.time, all.time)});
  }

  void cut(std::uint32_t id) {
    const auto found = heavy_.find(id);
    const auto heavy = found == heavy_.end() ? std::vector<std::uint32_t>() : found->second;
    stack_load together;
    for (const std::uint32_t child : heavy) {
      together.bytes += nodes_[child].load.bytes;
      together.operations += nodes_[child].load.operations;
      together.time += nodes_[child].load.time;
    }
    const node& here = nodes_[id];
    const bool arena = id != 0 && arenas_.contains(functions_[here.function].name);
    const bool enough = share(together.operations, here.load.operations) >= children_share &&
                        share(together.bytes, here.load.bytes) >= children_share;
    const bool above = id == 0 || functions_[here.function].root;
    if (arena || (!above && !enough)) {
      cut_.insert(id);
      return;
    }
    if (above && id != 0) cut_.insert(id);
    for (const std::uint32_t child : heavy) cut(child);
    // What is not in a child is the function's own, if it is enough to speak of.
    const stack_load rest{here.load.bytes - together.bytes,
                          here.load.operations - together.operations,
                          here.load.time - together.time};
    if (!above && share(rest, nodes_[0].load) >= least_share) cut_.insert(id);
  }

  const function_table& functions_;
  std::vector<node> nodes_;
  call_table calls_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> heavy_;  // children, by parent
  std::unordered_set<std::uint32_t> cut_;
  std::vector<std::uint32_t> node_of_;
  std::vector<bool> own_;
  std::set<std::string> arenas_;
};

std::vector<std::uint16_t> by_rules(const subsystem_options& options, const trace_reader& trace,
                                    const function_table& functions, subsystem_names& names) {
  std::vector<name_pattern> patterns;
  for (const auto& rule : options.rules) patterns.emplace_back(rule.second);
  constexpr std::uint32_t none = UINT32_MAX;
  std::vector<std::uint32_t> rule_of(functions.functions().size(), none);
  for (std::uint32_t function = 0; function < rule_of.size(); ++function) {
    for (std::uint32_t rule = 0; rule < patterns.size() && rule_of[function] == none; ++rule) {
      if (patterns[rule].is_in(functions[function].name)) rule_of[function] = rule;
    }
  }
  std::vector<std::uint32_t> best(trace.stacks().size(), none);
  std::vector<std::uint16_t> out(best.size());
  for (std::uint32_t stack = 0; stack < best.size(); ++stack) {
    if (stack != 0)
      best[stack] = std::min(best[trace.stacks()[stack].parent], rule_of[functions.of(stack)]);
    out[stack] = names.id(best[stack] == none ? the_rest : options.rules[best[stack]].first);
  }
  return out;
}

}  // namespace

std::string name_of(grouping by) {
  switch (by) {
    case grouping::found:
      return "found";
    case grouping::module:
      return "module";
    case grouping::name_space:
      return "namespace";
    case grouping::function:
      return "function";
    case grouping::scope:
      return "scope";
    case grouping::resource:
      return "resource";
    case grouping::thread:
      return "thread";
    case grouping::rules:
      return "rules";
  }
  return "";
}

std::uint16_t subsystem_names::id(const std::string& name) {
  const bool room = names_.size() < most_subsystems || name == the_rest;
  if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
  if (!room) return id(the_rest);
  ids_.emplace(name, static_cast<std::uint16_t>(names_.size()));
  names_.push_back(name);
  return static_cast<std::uint16_t>(names_.size() - 1);
}

std::vector<std::uint16_t> subsystems_of_stacks(const subsystem_options& options,
                                                const trace_reader& trace,
                                                const function_table& functions,
                                                const std::vector<stack_load>& loads,
                                                const std::vector<arena_scope>& scopes,
                                                subsystem_names& names) {
  if (options.by == grouping::found) {
    return call_tree(trace, functions, loads, scopes).subsystems(names);
  }
  if (options.by == grouping::rules) return by_rules(options, trace, functions, names);
  // Also stacks without operations: processor time was spent there.
  std::vector<std::uint16_t> of_function;
  for (const function& where : functions.functions()) {
    std::string name;
    if (options.by == grouping::module) {
      name = where.module.empty() ? the_rest : file_name(where.module);
    } else if (options.by == grouping::name_space) {
      name = namespace_of(where.name);
      if (name.empty()) name = "(global)";
    } else {
      name = short_name(where.name);
    }
    of_function.push_back(of_function.empty() ? names.id(the_rest) : names.id(name));
  }
  std::vector<std::uint16_t> out(loads.size());
  for (std::uint32_t stack = 0; stack < loads.size(); ++stack) {
    out[stack] = of_function[functions.of(own_stack(trace, functions, stack))];
  }
  return out;
}

}  // namespace mallard::profile
