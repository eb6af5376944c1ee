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

// Whether a command can tell blocks from resources apart: a replay cannot, they are no heap
// operations.
enum class resource_blocks { without, with };

// Adds --by and --subsystem.
void add_grouping_options(command_parser command, grouping_options& options,
                          resource_blocks of_resources);

// Throws usage_error.
profile::subsystem_options parse_subsystems(const grouping_options& options);

}  // namespace mallard::cli
