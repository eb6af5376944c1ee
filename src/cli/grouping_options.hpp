// Options by which commands for traces tell subsystems apart.
#pragma once

#include <string>
#include <vector>

#include "cli/command_parser.hpp"
#include "profile/subsystem_rules.hpp"

namespace mallard::cli {

struct grouping_options {
  profile::grouping by = profile::grouping::found;
  std::vector<std::string> rules;  // NAME=REGEX, or a file of these
};

// Adds --by and --subsystem.
void add_grouping_options(command_parser command, grouping_options& options);

// Throws usage_error.
profile::subsystem_options parse_subsystems(const grouping_options& options);

}  // namespace mallard::cli
