// Weights of the stacks of a recorded program, as a tree of functions with callers above callees.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/stack_weights.hpp"

namespace mallard::profile {

// A function for display. Empty file, line 0: unknown.
struct function_name {
  std::string name;
  std::string module;
  std::string file;
  unsigned line = 0;

  friend bool operator==(const function_name&, const function_name&) = default;
};

// "server.cpp:120"; empty if the file is unknown.
std::string where_text(const function_name& function);

struct profile_node {
  std::uint32_t parent = 0;    // index of a node before this one
  std::uint32_t function = 0;  // index into stack_profile::functions; meaningless in the root
  stack_weights own;
};

// nodes[0] is the root.
struct stack_profile {
  std::vector<function_name> functions;
  std::vector<profile_node> nodes{1};
};

// Effects: what was allocated without a known stack, the root's own weights, becomes those of a
// function "(no stack)". Returns: its node, the last; 0 if there is none.
std::uint32_t name_stackless(stack_profile& profile);

// The weights that exported formats can carry, each with its name and unit.
struct weight_kind {
  std::string_view name;  // as in Go's heap profiles, where these have it
  std::string_view unit;
  std::uint64_t stack_weights::* value;
};
inline constexpr weight_kind weight_kinds[] = {
    {"alloc_objects", "count", &stack_weights::allocations},
    {"alloc_space", "bytes", &stack_weights::bytes},
    {"inuse_objects", "count", &stack_weights::leaked_blocks},
    {"inuse_space", "bytes", &stack_weights::leaked_bytes},
    {"peak_objects", "count", &stack_weights::peak_blocks},
    {"peak_space", "bytes", &stack_weights::peak_bytes},
    {"temporary", "count", &stack_weights::temporary},
    {"operations", "count", &stack_weights::operations},
    {"cpu", "nanoseconds", &stack_weights::nanoseconds},
};

// Returns: the kind of that name; null if there is none.
const weight_kind* find_weight(std::string_view name);

}  // namespace mallard::profile
