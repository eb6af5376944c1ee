// Parses the words of a route: conditions, and those that several routes share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/name_pattern.hpp"
#include "route/session.hpp"
#include "whatif/whatif.hpp"

namespace mallard::whatif {

// A condition of a function on the stack: its name, or the line where it is.
struct function_condition {
  std::string text;
  profile::name_pattern pattern;
  std::string file = {};  // the end of its path; empty: any line
  std::uint32_t first_line = 0, last_line = 0;

  // Also by the name without the arguments of templates, which others call it by.
  bool holds_for(const std::string& name, const std::string& in_file, std::uint32_t line) const;
};

// The conditions of all routes, each once: a condition's place here is its mark's bit.
struct conditions {
  std::vector<function_condition> functions;
  std::vector<std::string> modules;
  std::vector<std::string> scopes;
};

// The resources that a route's blocks may come from, as its words name them.
std::vector<std::string> strategy_names();

// Adds the route's conditions. Throws std::runtime_error with one line.
route::route_rule parse_route(const whatif_route& from, conditions& all);

// Whether the file name of the path, or all of it, fits.
bool is_module(const std::string& path, const std::string& glob);
// True for libraries of the C and C++ runtime and for ours: they ask for memory on behalf of
// others.
bool is_runtime(const std::string& path);

}  // namespace mallard::whatif
