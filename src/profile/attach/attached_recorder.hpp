// Purpose: the recorder in a running process: loads it, tells it of new modules, removes its hooks.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "profile/attach/running_process.hpp"
#include "profile/record/session_memory.hpp"

namespace mallard::profile {

class attached_recorder {
 public:
  // Throws std::runtime_error, with one line, if the process cannot be recorded; it is then
  // unchanged. See running_process for `waits_long`.
  attached_recorder(pid_t pid, std::string library, std::function<void()> waits_long);

  // Effects: starts recording. Throws likewise; then the process goes on unrecorded.
  void begin(const session_memory& memory);
  // Call it now and then: it records modules that the process has loaded since.
  void look_for_modules(const session_memory& memory);
  // Effects: restores the process, except that the library stays loaded and idle. Throws if the
  // hooks cannot be removed; these then only pass calls on.
  void end();

  pid_t pid() const { return process_.pid(); }
  std::vector<std::string> command() const { return process_.command(); }
  bool is_there() const { return process_.is_there(); }

 private:
  running_process process_;
  std::string library_;
  std::uint64_t modules_ = 0;  // with hooks
  std::uint64_t latest_ = 0;   // seen last
};

}  // namespace mallard::profile
