// Finds places for an arena: the outermost functions at whose return at least 99 % of the blocks
// allocated below them are dead, and scopes marked in the source. For a function of a library's
// header, its caller is taken instead.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "profile/invocations.hpp"
#include "profile/of_stacks.hpp"
#include "profile/result.hpp"

namespace mallard::profile {

inline constexpr double arena_share = 0.99;

// `main`, a thread's function and their callers are candidates only if there are no others.
// `asked_for`: regular expressions; matching functions are listed even if many of their blocks
// outlive them.
std::vector<arena_scope> find_arena_scopes(const invocation_tracker& tracker,
                                           const stack_loads& loads, const trace_reader& trace,
                                           const function_table& functions,
                                           const std::vector<std::string>& asked_for = {});

using blocks_of_stack = std::pair<std::uint32_t, block_sum>;

// Gives a scope the figures of its calls, and the stacks of most of the blocks that outlived them.
void describe_calls(arena_scope& out, const invocation_sum& calls,
                    std::vector<blocks_of_stack> survivors, const trace_reader& trace,
                    const function_table& functions);

}  // namespace mallard::profile
