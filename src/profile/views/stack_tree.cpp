#include "profile/views/stack_tree.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "profile/call_table.hpp"

namespace mallard::profile {
namespace {

class tree_maker {
 public:
  tree_maker(const trace_reader& trace, const function_table& functions)
      : trace_(trace), functions_(functions) {}

  stack_tree make() {
    const auto& stacks = trace_.stacks();
    made_.of_stack.resize(stacks.size());
    for (std::uint32_t id = 1; id < stacks.size(); ++id) {
      std::uint32_t node = made_.of_stack[stacks[id].parent];
      for (const std::uint32_t function : frames_of(id)) node = child(node, function);
      made_.of_stack[id] = node;
    }
    return std::move(made_);
  }

 private:
  // The functions that a stack's innermost frame stands for, the outermost of inlined ones first.
  const std::vector<std::uint32_t>& frames_of(std::uint32_t stack) {
    // An address that was two modules' is told apart by its function.
    const std::uint32_t function = functions_.of(stack);
    auto& at_address = known_[trace_.stacks()[stack].ip];
    for (const auto& one : at_address) {
      if (one.first == function) return one.second;
    }
    return at_address.emplace_back(function, find_frames(stack)).second;
  }

  std::vector<std::uint32_t> find_frames(std::uint32_t stack) {
    const std::uint64_t ip = trace_.stacks()[stack].ip;
    const symbol_table& symbols = trace_.symbols();
    const std::string module = functions_.module_path(stack);
    const auto symbol = symbols.of.find({module_at(trace_.facts().modules, ip, stack), ip});
    std::vector<std::uint32_t> frames;
    if (symbol == symbols.of.end() || symbol->second.lines.empty()) {
      return {intern({functions_[functions_.of(stack)].name, module, {}, 0})};
    }
    const auto& lines = symbol->second.lines;
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
      const std::string& name = symbols.strings[line->function];
      if (is_allocation_function(name)) break;  // what it calls is the heap's, too
      frames.push_back(intern({name.empty() ? functions_[functions_.of(stack)].name : name, module,
                               symbols.strings[line->file], line->line}));
    }
    return frames;
  }

  std::uint32_t intern(function_name name) {
    if (is_allocation_function(name.name)) name.line = 0;
    const auto [at, fresh] =
        functions_seen_.try_emplace(std::pair(name.name, name.module),
                                    static_cast<std::uint32_t>(made_.profile.functions.size()));
    if (fresh) made_.profile.functions.push_back(std::move(name));
    return at->second;
  }

  std::uint32_t child(std::uint32_t parent, std::uint32_t function) {
    const auto next = static_cast<std::uint32_t>(made_.profile.nodes.size());
    const std::uint32_t known = calls_.number(parent, function, next);
    if (known != next) return known;
    made_.profile.nodes.push_back({parent, function, {}});
    return next;
  }

  const trace_reader& trace_;
  const function_table& functions_;
  stack_tree made_;
  // By address and function.
  std::unordered_map<std::uint64_t,
                     std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>>>
      known_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> functions_seen_;
  call_table calls_;
};

std::vector<stack_weights> subtree_sums(const stack_profile& profile) {
  std::vector<stack_weights> sums;
  for (const profile_node& node : profile.nodes) sums.push_back(node.own);
  for (std::size_t at = sums.size(); at-- > 1;) sums[profile.nodes[at].parent] += sums[at];
  return sums;
}

}  // namespace

stack_tree make_stack_tree(const trace_reader& trace, const function_table& functions) {
  return tree_maker(trace, functions).make();
}

stack_profile pruned(const stack_profile& whole, double share) {
  const std::vector<stack_weights> sums = subtree_sums(whole);
  const auto worth_it = [&](const stack_weights& one) {
    return std::any_of(std::begin(weight_kinds), std::end(weight_kinds), [&](const auto& kind) {
      return one.*kind.value > 0 && static_cast<double>(one.*kind.value) >=
                                        share * static_cast<double>(sums[0].*kind.value);
    });
  };
  stack_profile made;
  made.functions = whole.functions;
  const auto others = static_cast<std::uint32_t>(made.functions.size());
  made.functions.push_back({"(others)", {}, {}, 0});
  constexpr std::uint32_t left_out = UINT32_MAX;
  std::vector<std::uint32_t> now(whole.nodes.size(), left_out);
  std::map<std::uint32_t, std::uint32_t> others_below;  // by the node in the new tree
  now[0] = 0;
  made.nodes[0].own = whole.nodes[0].own;
  for (std::uint32_t at = 1; at < whole.nodes.size(); ++at) {
    const profile_node& node = whole.nodes[at];
    const std::uint32_t parent = now[node.parent];
    if (parent == left_out) continue;
    if (worth_it(sums[at])) {
      now[at] = static_cast<std::uint32_t>(made.nodes.size());
      made.nodes.push_back({parent, node.function, node.own});
    } else if (sums[at].any()) {
      const auto [rest, fresh] =
          others_below.try_emplace(parent, static_cast<std::uint32_t>(made.nodes.size()));
      if (fresh) made.nodes.push_back({parent, others, {}});
      made.nodes[rest->second].own += sums[at];
    }
  }
  return made;
}

}  // namespace mallard::profile
