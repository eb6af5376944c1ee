#include "cli/grouping_options.hpp"

#include <fmt/format.h>

#include <fstream>

#include "cli/usage_error.hpp"
#include "profile/name_pattern.hpp"

namespace mallard::cli {
namespace {

void add_rule(const std::string& text, profile::subsystem_options& options) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == text.npos || equals + 1 == text.size()) {
    throw usage_error(
        fmt::format("--subsystem: '{}' is neither NAME=REGEX nor a file of such lines", text));
  }
  if (!profile::is_name_pattern(text.substr(equals + 1))) {
    throw usage_error(
        fmt::format("--subsystem: '{}' is not a regular expression", text.substr(equals + 1)));
  }
  options.rules.emplace_back(text.substr(0, equals), text.substr(equals + 1));
}

}  // namespace

void add_grouping_options(command_parser command, grouping_options& options,
                          resource_blocks of_resources) {
  using profile::grouping;
  std::vector<std::pair<std::string, grouping>> kinds = {
      {"found", grouping::found},          {"module", grouping::module},
      {"namespace", grouping::name_space}, {"function", grouping::function},
      {"scope", grouping::scope},          {"thread", grouping::thread}};
  if (of_resources == resource_blocks::with) kinds.emplace_back("resource", grouping::resource);
  command.add_choice("--by", options.by, kinds, "Kind of the subsystems");
  command.add_option(
      "--subsystem", options.rules,
      "NAME=REGEX: functions on the stack that define a subsystem; or a file of such lines");
}

profile::subsystem_options parse_subsystems(const grouping_options& options) {
  profile::subsystem_options out;
  out.by = options.by;
  for (const std::string& text : options.rules) {
    if (std::ifstream file(text); file) {
      for (std::string line; std::getline(file, line);) {
        if (!line.empty() && line.front() != '#') add_rule(line, out);
      }
    } else {
      add_rule(text, out);
    }
  }
  if (!out.rules.empty()) out.by = profile::grouping::rules;
  return out;
}

}  // namespace mallard::cli
