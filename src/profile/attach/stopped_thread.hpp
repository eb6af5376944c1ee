// Purpose: makes one thread of another process call a function, and go on as if nothing had been.
//
// The call is made as the kernel makes that of a signal handler: below the thread's stack lies a
// frame with all that the thread was, and the function returns to the C library's end of handlers,
// which restores that. So the thread finds back by itself, even if we are killed while it is in the
// function. Where we are not, the call ends for us when that end is reached: then the registers are
// set as they were, so that a system call that was interrupted is begun anew.
#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <cstdint>
#include <vector>

#include "profile/attach/process_memory.hpp"

namespace mallard::profile {

class stopped_thread {
 public:
  // Stops it. Throws std::system_error when it may not be traced.
  stopped_thread(pid_t tid, const process_memory& memory);
  ~stopped_thread();  // lets it go on
  stopped_thread(const stopped_thread&) = delete;
  stopped_thread& operator=(const stopped_thread&) = delete;

  // False: it has ended, or was stopped by something else just now.
  bool is_stopped() const { return state_ == state::stopped; }
  std::uint64_t instruction() const { return registers_.rip; }
  std::uint64_t stack() const { return registers_.rsp; }
  // The system call that it waited in; -1: none.
  long system_call() const;
  const user_regs_struct& registers() const { return registers_; }

  // `handler_end`: where the C library's signal handlers return to. At most two arguments. Returns:
  // false when it has not come back after so many seconds; then the thread is on its own.
  bool call(std::uint64_t function, std::uint64_t first, std::uint64_t second,
            std::uint64_t handler_end, double longest);
  // Puts bytes on its stack, for arguments. 0: they could not be written.
  std::uint64_t put(const void* from, std::size_t bytes);

 private:
  enum class state { gone, stopped };
  bool wait(double longest, int& status);
  bool run_to(std::uint64_t handler_end, double longest);
  std::uint64_t put_frame(std::uint64_t handler_end);
  user_regs_struct resumed() const;

  pid_t tid_;
  const process_memory& memory_;
  state state_ = state::gone;
  user_regs_struct registers_{};
  std::vector<std::uint8_t> vectors_;  // and floating point, as the processor saves them
  std::uint64_t signals_ = 0;          // that are blocked
  std::uint64_t top_ = 0;              // of what we have on its stack
  bool has_called_ = false;
};

}  // namespace mallard::profile
