// Purpose: starting the program that is recorded, and what became of it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "process/process.hpp"

namespace mallard::profile {

// A child process that waits until it is let go, so that all is prepared when its program starts.
class child_program {
 public:
  // `environment`: names and values that are set for it. Throws std::system_error.
  child_program(const std::vector<std::string>& command, const process::environment& environment);
  ~child_program();  // without a program, if it was not let go
  child_program(const child_program&) = delete;
  child_program& operator=(const child_program&) = delete;

  pid_t pid() const { return pid_; }
  // Throws std::system_error when there is no such program, or it cannot be started.
  void let_go();
  // Whether it has ended; then status() says how.
  bool ended();
  bool exited() const;  // or killed
  int status() const;   // exit status or signal
  // With those of its children that it waited for.
  double processor_seconds() const { return processor_seconds_; }

 private:
  std::string name_;
  pid_t pid_;
  int go_ = -1;       // a byte here lets it go
  int failure_ = -1;  // the child's errno when it could not start the program
  bool ended_ = false;
  int status_ = 0;
  double processor_seconds_ = 0;
};

}  // namespace mallard::profile
