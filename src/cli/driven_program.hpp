// A server as a program that ends: it is started, given the same load each time, and told to end.
#pragma once

#include <string>
#include <vector>

namespace mallard::cli {

struct load_options {
  std::string load;   // what a shell runs to drive the program; empty: the program ends by itself
  std::string ready;  // a shell's command that succeeds when the program is ready; empty: a second
  bool shows_load = false;     // what the load writes is written, too
  bool may_end_early = false;  // the program may end with 0 before the load is over
};

// None, for so long or until the program ends.
load_options load_of_seconds(double seconds);

// The command to run instead: the program's if there is no load. It ends with 0 once the load is
// over, and with 1 where the load fails. Where the program ends before, it ends with the program's
// status, but with 1 in place of 0 unless the program may do so. What is preloaded to it is
// preloaded to the program, not to the load, whose time it does not count.
std::vector<std::string> driven(const std::vector<std::string>& command,
                                const load_options& options);

}  // namespace mallard::cli
