// Ctrl-C: asks the bench to stop instead of killing it.
#pragma once

#include <exception>

#include "cli/cli.hpp"
#include "process/unharmed.hpp"

namespace mallard::cli {

// While one of these lives, SIGINT, SIGTERM and SIGHUP only set a flag (and interrupt blocking
// reads).
class interrupt_guard {
 public:
  interrupt_guard();
  ~interrupt_guard();
  interrupt_guard(const interrupt_guard&) = delete;
  interrupt_guard& operator=(const interrupt_guard&) = delete;

 private:
  const process::unharmed unharmed_;
};

bool was_interrupted();

// Returns: what the work does, or `interrupted`. An interrupt also ends the processes that run a
// program, and the reading of a trace: what fails for that is no error.
template <class Work>
int until_interrupted(const Work& work) {
  const interrupt_guard guard;
  try {
    return work();
  } catch (const std::exception&) {
    if (was_interrupted()) return interrupted;
    throw;
  }
}

}  // namespace mallard::cli
