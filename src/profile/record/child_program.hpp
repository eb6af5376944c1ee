// Purpose: starts the program to record, and reports how it ended.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "process/process.hpp"

namespace mallard::profile {

// A child process that waits before it starts its program, so that everything can be prepared.
class child_program {
 public:
  // `environment`: variables to set for it. Throws std::system_error.
  child_program(const std::vector<std::string>& command, const process::environment& environment);
  ~child_program();  // ends it unless it was let go
  child_program(const child_program&) = delete;
  child_program& operator=(const child_program&) = delete;

  pid_t pid() const { return pid_; }
  // Throws std::system_error if the program does not exist or cannot be started.
  void let_go();
  // Returns: whether it has ended; if so, status() says how.
  bool ended();
  bool exited() const;  // or killed
  int status() const;   // exit status or signal
  // Includes children that it waited for.
  double processor_seconds() const { return processor_seconds_; }

 private:
  std::string name_;
  pid_t pid_;
  int go_ = -1;       // a byte written here lets it go
  int failure_ = -1;  // the child's errno if it could not start the program
  bool ended_ = false;
  int status_ = 0;
  double processor_seconds_ = 0;
};

}  // namespace mallard::profile
