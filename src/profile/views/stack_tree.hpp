// The tree of functions that the stacks of a trace make: frames of one function below one caller
// are one node, whatever their addresses; inlined functions are nodes of their own; the heap's own
// functions, which every stack ends in, are left out.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/functions.hpp"
#include "profile/views/stack_profile.hpp"

namespace mallard::profile {

struct stack_tree {
  stack_profile profile;                // without weights
  std::vector<std::uint32_t> of_stack;  // the node of each stack of the trace
};

stack_tree make_stack_tree(const trace_reader& trace, const function_table& functions);

// The same without the nodes whose subtrees weigh less than this share of every weight: each node's
// are summed up in one child named "(others)".
stack_profile pruned(const stack_profile& whole, double share);

}  // namespace mallard::profile
