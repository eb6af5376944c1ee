// What commands for traces are asked for when they are to tell subsystems apart.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "profile/subsystem_rules.hpp"

namespace mallard::cli {

struct grouping_options {
  std::string by = "found";
  std::vector<std::string> rules;  // NAME=REGEX, or a file of these
};

// Adds --by, with this help, and --subsystem.
void add_grouping_options(CLI::App& command, grouping_options& options, const std::string& by_help);

// Throws usage_error.
profile::subsystem_options parse_subsystems(const grouping_options& options);

}  // namespace mallard::cli
