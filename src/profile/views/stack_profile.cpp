#include "profile/views/stack_profile.hpp"

#include <fmt/format.h>

namespace mallard::profile {

std::string where_text(const function_name& function) {
  if (function.file.empty()) return {};
  const std::size_t slash = function.file.rfind('/');
  const std::string_view name = std::string_view(function.file).substr(slash + 1);
  return function.line == 0 ? std::string(name) : fmt::format("{}:{}", name, function.line);
}

stack_weights& stack_weights::operator+=(const stack_weights& other) {
  operations += other.operations;
  allocations += other.allocations;
  bytes += other.bytes;
  leaked_bytes += other.leaked_bytes;
  leaked_blocks += other.leaked_blocks;
  temporary += other.temporary;
  nanoseconds += other.nanoseconds;
  return *this;
}

bool stack_weights::any() const {
  return (operations | allocations | bytes | leaked_bytes | leaked_blocks | temporary |
          nanoseconds) != 0;
}

const weight_kind* find_weight(std::string_view name) {
  for (const weight_kind& kind : weight_kinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace mallard::profile
