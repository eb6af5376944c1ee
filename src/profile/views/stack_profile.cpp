#include "profile/views/stack_profile.hpp"

#include <fmt/format.h>

namespace mallard::profile {

std::string where_text(const function_name& function) {
  if (function.file.empty()) return {};
  const std::size_t slash = function.file.rfind('/');
  const std::string_view name = std::string_view(function.file).substr(slash + 1);
  return function.line == 0 ? std::string(name) : fmt::format("{}:{}", name, function.line);
}

std::uint32_t name_stackless(stack_profile& profile) {
  stack_weights& own = profile.nodes[0].own;
  if (!own.any()) return 0;
  const profile_node made{0, static_cast<std::uint32_t>(profile.functions.size()), own};
  own = {};
  profile.functions.push_back({"(no stack)", {}, {}, 0});
  profile.nodes.push_back(made);
  return static_cast<std::uint32_t>(profile.nodes.size() - 1);
}

const weight_kind* find_weight(std::string_view name) {
  for (const weight_kind& kind : weight_kinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace mallard::profile
