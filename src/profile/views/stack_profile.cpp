#include "profile/views/stack_profile.hpp"

#include <fmt/format.h>

namespace mallard::profile {

std::string where_text(const function_name& function) {
  if (function.file.empty()) return {};
  const std::size_t slash = function.file.rfind('/');
  const std::string_view name = std::string_view(function.file).substr(slash + 1);
  return function.line == 0 ? std::string(name) : fmt::format("{}:{}", name, function.line);
}

const weight_kind* find_weight(std::string_view name) {
  for (const weight_kind& kind : weight_kinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace mallard::profile
