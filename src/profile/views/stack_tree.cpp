#include "profile/views/stack_tree.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profile/function_names.hpp"
#include "profile/stack_children.hpp"

namespace mallard::profile {
namespace {

// Grows the tree from the root outwards. There may be many stacks and few heavy nodes, so the part
// below a light node is never visited stack by stack. An upper bound of its weight is known from
// each stack with those below it.
class tree_maker {
 public:
  tree_maker(const trace_reader& trace, const function_table& functions,
             const of_stacks<stack_weights>& weights, double least_share)
      : trace_(trace),
        functions_(functions),
        weights_(weights),
        least_share_(least_share),
        node_of_(weights.stacks(), unknown) {}

  stack_profile make() {
    for (std::uint32_t id = 0; id < weights_.stacks(); ++id) all_ += weights_.of(id);
    grow(shares_below());
    for (std::uint32_t id = 0; id < weights_.stacks(); ++id) {
      // Parents have smaller numbers, so theirs are known.
      if (node_of_[id] == unknown) node_of_[id] = node_of_[trace_.stacks().parent(id)];
      if (weights_.has(id)) made_.nodes[node_of_[id]].own += weights_.of(id);
    }
    const std::uint32_t stackless = name_stackless(made_);
    for (std::uint32_t& node : node_of_) {
      if (node == 0) node = stackless;
    }
    return least_share_ > 0 ? pruned() : std::move(made_);
  }
  // The node of each stack; after make().
  std::vector<std::uint32_t> take_nodes() { return std::move(node_of_); }

 private:
  static constexpr std::uint32_t unknown = UINT32_MAX;
  // A stack, up to one of the functions at its innermost frame.
  struct entry {
    std::uint32_t stack = 0;
    std::uint32_t functions = 0;
  };
  struct group {
    double share = 0;
    std::vector<entry> entries;
  };

  // For each stack and those below it, the sum of its shares of all weights: at least as much as
  // the largest of them.
  std::vector<float> shares_below() const {
    return sums_below<float>(trace_.stacks(), [&](std::uint32_t id) {
      if (!weights_.has(id)) return 0.0f;
      double sum = 0;
      for (const weight_kind& kind : weight_kinds) {
        const auto mine = static_cast<double>(weights_.of(id).*kind.value);
        if (mine > 0) sum += mine / static_cast<double>(all_.*kind.value);
      }
      return static_cast<float>(sum);
    });
  }

  void grow(const std::vector<float>& shares) {
    const double enough = least_share_ * 0.9;  // allows for rounding of the sums
    const stack_children tree(trace_.stacks());
    std::vector<std::vector<entry>> entries_of(1);  // by node
    entries_of[0].push_back({});
    for (std::uint32_t id = 0; id < entries_of.size(); ++id) {
      std::map<std::uint32_t, group> called;  // by function
      std::vector<entry> open = std::move(entries_of[id]);
      while (!open.empty()) {
        const entry at = open.back();
        open.pop_back();
        if (at.stack != 0) {
          const std::vector<std::uint32_t>& frames = frames_of(at.stack);
          if (at.functions < frames.size()) {
            group& same = called[frames[at.functions]];
            same.share += static_cast<double>(shares[at.stack]);
            same.entries.push_back({at.stack, at.functions + 1});
            continue;
          }
        }
        node_of_[at.stack] = id;
        for (std::uint32_t one = tree.first(at.stack); one != 0; one = tree.next(one)) {
          open.push_back({one, 0});
        }
      }
      std::uint32_t rest = unknown;
      for (auto& [function, some] : called) {
        if (some.share >= enough) {
          add_node(id, function);
          entries_of.push_back(std::move(some.entries));
          continue;
        }
        if (rest == unknown) {
          rest = add_node(id, others);
          entries_of.emplace_back();
        }
        for (const entry& one : some.entries) node_of_[one.stack] = rest;
      }
    }
  }

  std::uint32_t add_node(std::uint32_t parent, std::uint32_t function) {
    made_.nodes.push_back({parent, function, {}});
    return static_cast<std::uint32_t>(made_.nodes.size() - 1);
  }

  // The functions at a stack's innermost frame, the outermost inlined one first.
  const std::vector<std::uint32_t>& frames_of(std::uint32_t stack) {
    // An address that belonged to two modules is distinguished by its function.
    const std::uint32_t function = functions_.of(stack);
    auto& at_address = known_[trace_.stacks()[stack].ip];
    for (const auto& one : at_address) {
      if (one.first == function) return one.second;
    }
    return at_address.emplace_back(function, find_frames(stack)).second;
  }

  std::vector<std::uint32_t> find_frames(std::uint32_t stack) {
    const symbol_table& symbols = trace_.symbols();
    const std::string module = functions_.module_path(stack);
    const auto lines = trace_.lines_of(stack);
    std::vector<std::uint32_t> frames;
    if (lines.empty()) {
      return {intern({functions_[functions_.of(stack)].name, module, {}, 0})};
    }
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
      const std::string& name = symbols.strings[line->function];
      if (is_allocation_function(name)) break;  // its callees are the heap's, too
      frames.push_back(intern(
          {name.empty() ? functions_[functions_.of(stack)].name : std::string(without_clone(name)),
           module, symbols.strings[line->file], line->line}));
    }
    return frames;
  }

  std::uint32_t intern(function_name name) {
    if (is_allocation_function(name.name)) name.line = 0;
    const auto [at, fresh] = functions_seen_.try_emplace(
        std::pair(name.name, name.module), static_cast<std::uint32_t>(made_.functions.size()));
    if (fresh) made_.functions.push_back(std::move(name));
    return at->second;
  }

  // Moves the weights of nodes that are too light after all to "(others)".
  stack_profile pruned() {
    std::vector<stack_weights> sums;
    for (const profile_node& node : made_.nodes) sums.push_back(node.own);
    for (std::size_t at = sums.size(); at-- > 1;) sums[made_.nodes[at].parent] += sums[at];
    const auto worth_it = [&](const stack_weights& one) {
      return std::any_of(std::begin(weight_kinds), std::end(weight_kinds), [&](const auto& kind) {
        return one.*kind.value > 0 && static_cast<double>(one.*kind.value) >=
                                          least_share_ * static_cast<double>(all_.*kind.value);
      });
    };
    stack_profile out;
    out.functions = std::move(made_.functions);
    const auto named_others = static_cast<std::uint32_t>(out.functions.size());
    out.functions.push_back({"(others)", {}, {}, 0});
    std::vector<std::uint32_t> now(made_.nodes.size(), unknown);
    std::map<std::uint32_t, std::uint32_t> others_below;      // by the node in the new tree
    std::vector<std::uint32_t> moved(made_.nodes.size(), 0);  // the new node of each node's weights
    now[0] = 0;
    out.nodes[0].own = made_.nodes[0].own;
    for (std::uint32_t at = 1; at < made_.nodes.size(); ++at) {
      const profile_node& node = made_.nodes[at];
      const std::uint32_t parent = now[node.parent];
      if (parent == unknown) {
        moved[at] = moved[node.parent];
        continue;
      }
      moved[at] = parent;
      if (node.function != others && worth_it(sums[at])) {
        now[at] = static_cast<std::uint32_t>(out.nodes.size());
        out.nodes.push_back({parent, node.function, node.own});
        moved[at] = now[at];
      } else if (sums[at].any()) {
        const auto [rest, fresh] =
            others_below.try_emplace(parent, static_cast<std::uint32_t>(out.nodes.size()));
        if (fresh) out.nodes.push_back({parent, named_others, {}});
        out.nodes[rest->second].own += sums[at];
        moved[at] = rest->second;
      }
    }
    for (std::uint32_t& node : node_of_) node = moved[node];
    return out;
  }

  static constexpr std::uint32_t others = UINT32_MAX;  // stands for a function
  const trace_reader& trace_;
  const function_table& functions_;
  const of_stacks<stack_weights>& weights_;
  double least_share_;
  stack_weights all_;
  stack_profile made_;
  std::vector<std::uint32_t> node_of_;  // by stack
  // By address and function.
  std::unordered_map<std::uint64_t,
                     std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>>>
      known_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> functions_seen_;
};

}  // namespace

stack_profile make_stack_profile(const trace_reader& trace, const function_table& functions,
                                 const of_stacks<stack_weights>& weights, double least_share,
                                 std::vector<std::uint32_t>* node_of) {
  tree_maker maker(trace, functions, weights, least_share);
  stack_profile made = maker.make();
  if (node_of) *node_of = maker.take_nodes();
  return made;
}

}  // namespace mallard::profile
