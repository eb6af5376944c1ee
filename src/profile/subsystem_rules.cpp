#include "profile/subsystem_rules.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "profile/name_pattern.hpp"
#include "profile/stack_children.hpp"

namespace mallard::profile {
namespace {

constexpr double least_share = 0.02;
// The children replace a node if together they carry this share of it.
constexpr double children_share = 0.8;
constexpr std::size_t most_subsystems = 1000;
const std::string the_rest = "(other)";

// The caller of a std::thread's function.
bool is_nameless_of_runtime(std::string_view name) {
  return is_nameless(name) && (name.starts_with("libstdc++.so") || name.starts_with("libc++.so") ||
                               name.starts_with("libc.so") || name.starts_with("ld-linux"));
}

// The function of a std::thread is inlined into it.
bool holds_thread_function(std::string_view name) {
  return name.find("std::thread::_State_impl<") != name.npos;
}

// Whether a function is own code: not the heap's, not a library header's, not one that starts a
// thread.
bool is_own(const function& one) {
  if (holds_thread_function(one.name)) return true;
  return !is_nameless_of_runtime(one.name) && !is_allocation_function(one.name) &&
         !is_start_of_thread(one.name) && !one.of_library;
}

// The stack at its innermost own function; at its innermost function if it has none.
std::uint32_t own_stack(const trace_reader& trace, const function_table& functions,
                        std::uint32_t stack) {
  for (std::uint32_t at = stack; at != 0; at = trace.stacks().parent(at)) {
    if (is_own(functions[functions.of(at)])) return at;
  }
  return stack;
}

// The call tree of own functions, and where to cut it. A node is a function as called from its
// caller's node. There are many stacks but few nodes with enough load. So the tree grows from the
// root outwards, and a node with too little load is joined with its caller's. The load of each
// stack with those below it is known in advance, so such nodes are skipped without visiting their
// stacks.
class call_tree {
 public:
  call_tree(const trace_reader& trace, const function_table& functions, const stack_loads& loads,
            const std::vector<arena_scope>& scopes)
      : trace_(trace), functions_(functions), nodes_(1), node_of_(loads.stacks(), unknown) {
    for (const arena_scope& one : scopes) {
      if (!one.trunk && !one.marked) arenas_.insert(one.function);
    }
    for (const function& one : functions.functions()) own_.push_back(is_own(one));
    grow(shares_below(loads));
    add_up(loads);
    cut(0);
  }

  std::vector<std::uint16_t> subsystems(subsystem_names& names) const {
    std::vector<std::uint16_t> out(node_of_.size());
    const std::uint16_t rest = names.id(the_rest);
    std::vector<std::uint32_t> of_function(own_.size(), unknown);
    std::vector<std::uint32_t> cut_above(nodes_.size());
    for (std::uint32_t id = 1; id < nodes_.size(); ++id) {
      cut_above[id] = cut_.contains(id) ? id : cut_above[nodes_[id].parent];
    }
    for (std::size_t stack = 0; stack < node_of_.size(); ++stack) {
      const std::uint32_t at = cut_above[node_of_[stack]];
      out[stack] = rest;
      if (at == 0) continue;
      std::uint32_t& name = of_function[nodes_[at].function];
      if (name == unknown) name = names.id(short_name(functions_[nodes_[at].function].name));
      out[stack] = static_cast<std::uint16_t>(name);
    }
    return out;
  }

 private:
  static constexpr std::uint32_t unknown = UINT32_MAX;
  struct node {
    std::uint32_t parent = 0;
    std::uint32_t function = 0;
    stack_load load;
  };
  // Stacks of a node that may not have enough load.
  struct group {
    double share = 0;
    std::vector<std::uint32_t> stacks;
  };

  // For each stack and those below it, the sum of its shares of bytes, operations and time: at
  // least as much as the largest of the three.
  std::vector<float> shares_below(const stack_loads& loads) const {
    stack_load all;
    for (std::uint32_t id = 1; id < loads.stacks(); ++id) all += loads.of(id);
    return sums_below<float>(trace_.stacks(), [&](std::uint32_t id) {
      if (!loads.has(id)) return 0.0f;
      const stack_load& mine = loads.of(id);
      return static_cast<float>(share(mine.bytes, all.bytes) +
                                share(mine.operations, all.operations) +
                                share(mine.time, all.time));
    });
  }

  // Makes all nodes with enough load, callers first, and assigns the stacks to them.
  void grow(const std::vector<float>& shares) {
    constexpr double enough = least_share * 0.9;  // allows for rounding of the sums
    const stack_children tree(trace_.stacks());
    std::vector<std::vector<std::uint32_t>> stacks_of = {{0}};  // by node, where it is entered
    node_of_[0] = 0;
    for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
      std::map<std::uint32_t, group> called;  // by function
      std::vector<std::uint32_t> open = std::move(stacks_of[id]);
      while (!open.empty()) {
        const std::uint32_t at = open.back();
        open.pop_back();
        for (std::uint32_t one = tree.first(at); one != 0; one = tree.next(one)) {
          const std::uint32_t function = functions_.of(one);
          if (!own_[function] || (id != 0 && nodes_[id].function == function)) {
            node_of_[one] = id;
            open.push_back(one);
          } else {
            group& same = called[function];
            same.share += static_cast<double>(shares[one]);
            same.stacks.push_back(one);
          }
        }
      }
      for (auto& [function, some] : called) {
        if (some.share < enough) continue;
        const auto made = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back({id, function, {}});
        for (const std::uint32_t one : some.stacks) node_of_[one] = made;
        stacks_of.push_back(std::move(some.stacks));
      }
    }
  }

  void add_up(const stack_loads& loads) {
    for (std::uint32_t id = 1; id < loads.stacks(); ++id) {
      // Parents have smaller numbers, so theirs are known.
      if (node_of_[id] == unknown) node_of_[id] = node_of_[trace_.stacks().parent(id)];
      if (loads.has(id)) nodes_[node_of_[id]].load += loads.of(id);
    }
    for (std::size_t id = nodes_.size(); id-- > 1;)
      nodes_[nodes_[id].parent].load += nodes_[id].load;
    for (std::uint32_t id = 1; id < nodes_.size(); ++id) {
      if (share(nodes_[id].load, nodes_[0].load) < least_share) continue;
      heavy_[nodes_[id].parent].push_back(id);
    }
  }

  static double share(std::uint64_t part, std::uint64_t all) {
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
  }
  // The largest of the part's shares of bytes, operations and time.
  static double share(const stack_load& part, const stack_load& all) {
    return std::max({share(part.bytes, all.bytes), share(part.operations, all.operations),
                     share(part.time, all.time)});
  }

  void cut(std::uint32_t id) {
    const auto found = heavy_.find(id);
    const auto heavy = found == heavy_.end() ? std::vector<std::uint32_t>() : found->second;
    stack_load together;
    for (const std::uint32_t child : heavy) together += nodes_[child].load;
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
    // The load that is in no child is the function's own, if it is enough.
    const stack_load rest{here.load.bytes - together.bytes,
                          here.load.operations - together.operations,
                          here.load.time - together.time, here.load.blocks - together.blocks};
    if (!above && share(rest, nodes_[0].load) >= least_share) cut_.insert(id);
  }

  const trace_reader& trace_;
  const function_table& functions_;
  std::vector<node> nodes_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> heavy_;  // children, by parent
  std::unordered_set<std::uint32_t> cut_;
  std::vector<std::uint32_t> node_of_;  // by stack
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
      best[stack] = std::min(best[trace.stacks().parent(stack)], rule_of[functions.of(stack)]);
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

std::vector<std::uint16_t> subsystems_of_stacks(
    const subsystem_options& options, const trace_reader& trace, const function_table& functions,
    const stack_loads& loads, const std::vector<arena_scope>& scopes, subsystem_names& names) {
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
  std::vector<std::uint16_t> out(loads.stacks());
  for (std::uint32_t stack = 0; stack < loads.stacks(); ++stack) {
    out[stack] = of_function[functions.of(own_stack(trace, functions, stack))];
  }
  return out;
}

}  // namespace mallard::profile
