// Facts of this build, from CMake.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mallard::lab {

struct build_info {
  std::string compiler;
  std::string flags;
  std::string build_type;
  bool assertions = false;
};

std::string_view mallard_version();

build_info this_build();

// Reasons why figures of this build would mislead (no optimisation, assertions, sanitizers); empty
// if there are none.
std::vector<std::string> build_warnings();

}  // namespace mallard::lab
