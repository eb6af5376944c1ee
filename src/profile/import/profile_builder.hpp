// Builds a stack profile from stacks of names. Equal functions below equal callers are one node.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "profile/views/stack_profile.hpp"

namespace mallard::profile {

class profile_builder {
 public:
  // The node of this function below `parent`. The line does not matter: the first one seen is kept.
  std::uint32_t child(std::uint32_t parent, function_name name) {
    const auto [function, fresh_function] = known_.try_emplace(
        {name.name, name.module, name.file}, static_cast<std::uint32_t>(made_.functions.size()));
    if (fresh_function) made_.functions.push_back(std::move(name));
    const auto [at, fresh] = children_.try_emplace({parent, function->second},
                                                   static_cast<std::uint32_t>(made_.nodes.size()));
    if (fresh) made_.nodes.push_back({parent, function->second, {}});
    return at->second;
  }
  stack_weights& own(std::uint32_t node) { return made_.nodes[node].own; }
  stack_profile take() { return std::move(made_); }

 private:
  stack_profile made_;
  std::map<std::array<std::string, 3>, std::uint32_t> known_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> children_;
};

}  // namespace mallard::profile
