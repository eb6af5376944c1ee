// The JSON files of Valgrind's DHAT (version 2, heap mode): what each stack allocated in all,
// without the operations themselves. So they give a stack profile and sums, and no trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/views/stack_profile.hpp"

namespace mallard::profile {

struct dhat_profile {
  std::string command;
  stack_profile stacks;
  std::vector<std::uint64_t> bytes_at_peak;  // by node: live when the program's most was
};

// Whether the file begins like one of DHAT's. False for files that cannot be read.
bool is_dhat(const std::string& path);

// Throws std::runtime_error, in one line, if the file cannot be read or is no such file.
dhat_profile read_dhat(const std::string& path);

}  // namespace mallard::profile
