// Purpose: the recorder in a process that runs: put in, told of new modules, taken out.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "profile/attach/running_process.hpp"
#include "profile/record/session_memory.hpp"

namespace mallard::profile {

class attached_recorder {
 public:
  // Throws std::runtime_error, in one line, for a process that cannot be recorded, as it is. See
  // running_process for `waits_long`.
  attached_recorder(pid_t pid, std::string library, std::function<void()> waits_long);

  // From now on it is recorded. Throws likewise; then it is not, and goes on.
  void begin(const session_memory& memory);
  // Now and then: modules that it has loaded are recorded, too.
  void look_for_modules(const session_memory& memory);
  // It is as it was, but that the library stays, idle. Throws when its hooks could not be taken
  // out: then these do nothing but pass on.
  void end();

  pid_t pid() const { return process_.pid(); }
  std::vector<std::string> command() const { return process_.command(); }
  bool is_there() const { return process_.is_there(); }

 private:
  running_process process_;
  std::string library_;
  std::uint64_t modules_ = 0;  // that have hooks
  std::uint64_t latest_ = 0;   // that were seen
};

}  // namespace mallard::profile
