// The tree of functions of a trace's stacks. Frames of one function below one caller are one node,
// whatever their addresses. Inlined functions have nodes of their own. The heap's own functions, in
// which every stack ends, are left out.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/functions.hpp"
#include "profile/of_stacks.hpp"
#include "profile/views/stack_profile.hpp"

namespace mallard::profile {

// The tree with each stack's sums. Nodes whose subtrees have less than `least_share` of every
// weight are left out; each node sums them up in a child named "(others)". If `node_of` is given,
// it gets each stack's node. Memory: 12 bytes for each stack, and the nodes.
stack_profile make_stack_profile(const trace_reader& trace, const function_table& functions,
                                 const of_stacks<stack_weights>& weights, double least_share = 0,
                                 std::vector<std::uint32_t>* node_of = nullptr);

}  // namespace mallard::profile
