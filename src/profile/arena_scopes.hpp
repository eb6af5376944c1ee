// The places where an arena would go: the outermost functions of which at least 99 % of the blocks
// allocated below them are dead when they return, and the scopes that are marked in the source. A
// function of a library's header is none: its caller is, or what calls that.
#pragma once

#include <unordered_map>
#include <vector>

#include "profile/invocations.hpp"
#include "profile/of_stacks.hpp"
#include "profile/result.hpp"

namespace mallard::profile {

inline constexpr double arena_share = 0.99;

// `main`, a thread's function, and what calls those are candidates only where nothing else is.
// `asked_for`: regular expressions; functions with such names are given however many of their
// blocks outlive them.
std::vector<arena_scope> find_arena_scopes(const invocation_tracker& tracker,
                                           const stack_loads& loads, const trace_reader& trace,
                                           const function_table& functions,
                                           const std::vector<std::string>& asked_for = {});

// The names of a stack's frames, innermost first, without the heap's own.
std::vector<std::string> frame_names(const trace_reader& trace, const function_table& functions,
                                     std::uint32_t stack, std::size_t most);

}  // namespace mallard::profile
