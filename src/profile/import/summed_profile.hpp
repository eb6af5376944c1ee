// Reads other tools' files that only sum up what each stack allocated: Valgrind's DHAT, heap
// profiles of pprof, tcmalloc and jemalloc. They give a stack profile and sums, not a trace.
//
//   if (is_summed_profile(path)) {
//     const summed_profile program = read_summed_profile(path);
//     const dims_result sums = dims_of(program, {});
//   }
#pragma once

#include <string>
#include <vector>

#include "profile/result.hpp"
#include "profile/views/stack_profile.hpp"

namespace mallard::profile {

struct summed_profile {
  std::string command;
  stack_profile stacks;
  std::vector<std::string> not_recorded;
};

// Whether the file begins like one of these. False if it cannot be read.
bool is_summed_profile(const std::string& path);

// Throws std::runtime_error, with one line, if the file cannot be read, is damaged or is of another
// kind.
summed_profile read_summed_profile(const std::string& path);

// By function, or by source line. Each stack is charged to its innermost function. The most bytes
// first.
std::vector<site> sites_of(const stack_profile& stacks, bool by_line);

}  // namespace mallard::profile
