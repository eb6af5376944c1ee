#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "profile/export/stack_formats.hpp"

namespace mallard::profile {
namespace {

std::string without_separators(std::string name) {
  std::replace(name.begin(), name.end(), ';', ':');
  std::replace(name.begin(), name.end(), '\n', ' ');
  return name;
}

}  // namespace

void for_each_collapsed(
    const stack_profile& profile, const weight_kind& weight,
    const std::function<void(const std::string& stack, std::uint64_t value)>& take) {
  std::vector<std::string> names;
  names.reserve(profile.functions.size());
  for (const function_name& one : profile.functions) names.push_back(without_separators(one.name));
  std::vector<std::uint32_t> path;
  for (std::uint32_t at = 1; at < profile.nodes.size(); ++at) {
    const std::uint64_t value = profile.nodes[at].own.*weight.value;
    if (value == 0) continue;
    path.clear();
    for (std::uint32_t up = at; up != 0; up = profile.nodes[up].parent) path.push_back(up);
    std::string stack;
    for (std::size_t i = path.size(); i-- > 0;) {
      stack += names[profile.nodes[path[i]].function];
      if (i != 0) stack += ';';
    }
    take(stack, value);
  }
}

std::string to_collapsed(const stack_profile& profile, const weight_kind& weight) {
  std::string text;
  for_each_collapsed(profile, weight, [&](const std::string& stack, std::uint64_t value) {
    text += fmt::format("{} {}\n", stack, value);
  });
  return text;
}

}  // namespace mallard::profile
