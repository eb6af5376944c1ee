// Assigns an operation to a subsystem by its stack or thread, or by its scope or resource.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profile/arena_scopes.hpp"
#include "profile/functions.hpp"

namespace mallard::profile {

enum class grouping { found, module, name_space, function, scope, resource, thread, rules };
std::string name_of(grouping by);

struct subsystem_options {
  grouping by = grouping::found;
  // For grouping::rules: the first one whose pattern occurs in the name of a function on the stack.
  std::vector<std::pair<std::string, std::string>> rules;  // name, regular expression
};

// The subsystem of each stack, as an index into `names`.
struct subsystem_map {
  std::vector<std::string> names;
  std::vector<std::uint16_t> of_stack;
};

// Numbers subsystems by name.
class subsystem_names {
 public:
  std::uint16_t id(const std::string& name);
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint16_t> ids_;
};

// The subsystem of each stack, for groupings by stack. "found": cuts the call tree where a subtree
// carries at least 2 % of the bytes, the operations or the time in them, and at an arena scope
// rather than below it. Throws std::invalid_argument for a malformed pattern.
std::vector<std::uint16_t> subsystems_of_stacks(
    const subsystem_options& options, const trace_reader& trace, const function_table& functions,
    const stack_loads& loads, const std::vector<arena_scope>& scopes, subsystem_names& names);

}  // namespace mallard::profile
