// The tree of functions that the stacks of a trace make: frames of one function below one caller
// are one node, whatever their addresses; inlined functions are nodes of their own; the heap's own
// functions, which every stack ends in, are left out.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/functions.hpp"
#include "profile/of_stacks.hpp"
#include "profile/views/stack_profile.hpp"

namespace mallard::profile {

// The tree with what was recorded at each stack. Nodes whose subtrees weigh less than `least_share`
// of every weight are left out: each node's are summed up in one child named "(others)".
// `node_of`, if there is one, becomes each stack's node. Memory: twelve bytes for each stack, and
// the nodes.
stack_profile make_stack_profile(const trace_reader& trace, const function_table& functions,
                                 const of_stacks<stack_weights>& weights, double least_share = 0,
                                 std::vector<std::uint32_t>* node_of = nullptr);

}  // namespace mallard::profile
