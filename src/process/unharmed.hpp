// Signals that a program sends to its whole group, in which we are.
#pragma once

#include <signal.h>

#include <vector>

namespace mallard::process {

// While it lives, signals by which programs tell each other something (SIGUSR1, timers, real-time
// signals) do not end this process. Programs that it starts have them as they were.
class unharmed {
 public:
  unharmed();
  ~unharmed();
  unharmed(const unharmed&) = delete;
  unharmed& operator=(const unharmed&) = delete;

 private:
  std::vector<int> signals_;  // that would have ended it
};

}  // namespace mallard::process
