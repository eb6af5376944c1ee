// Purpose: makes one thread of another process call a function and then go on undisturbed.
//
// The call looks like the kernel's call of a signal handler. Below the thread's stack we put a
// signal frame with the thread's whole state. The function returns to the end of the C library's
// handlers, which restores that state by sigreturn. So the thread recovers by itself even if we are
// killed during the call. If we live, the call ends for us when the thread reaches that place: we
// then set the registers ourselves, so that an interrupted system call begins anew.
#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <cstdint>
#include <vector>

#include "profile/attach/process_memory.hpp"

namespace mallard::profile {

class stopped_thread {
 public:
  // Stops the thread. Throws std::system_error if it may not be traced.
  stopped_thread(pid_t tid, const process_memory& memory);
  ~stopped_thread();  // lets it go on
  stopped_thread(const stopped_thread&) = delete;
  stopped_thread& operator=(const stopped_thread&) = delete;

  // False: it has ended, or something else has just stopped it.
  bool is_stopped() const { return state_ == state::stopped; }
  std::uint64_t instruction() const { return registers_.rip; }
  std::uint64_t stack() const { return registers_.rsp; }
  // The system call in which it waited; -1: none.
  long system_call() const;
  const user_regs_struct& registers() const { return registers_; }

  // `handler_end`: the address to which the C library's signal handlers return. At most two
  // arguments. Returns: false if the function has not returned within `longest` seconds; the thread
  // is then on its own.
  bool call(std::uint64_t function, std::uint64_t first, std::uint64_t second,
            std::uint64_t handler_end, double longest);
  // Keeps its errno as it is, whatever functions it calls; `errno_location`: the C library's own
  // function that tells where errno is.
  void keep_errno(std::uint64_t errno_location, std::uint64_t handler_end);
  // Copies bytes to its stack, for arguments. Returns: 0 if they could not be written.
  std::uint64_t put(const void* from, std::size_t bytes);

 private:
  enum class state { gone, stopped };
  bool wait(double longest, int& status);
  bool enter(std::uint64_t function, std::uint64_t first, std::uint64_t second,
             std::uint64_t handler_end);
  bool run_to(std::uint64_t handler_end, double longest);
  std::uint64_t put_frame(std::uint64_t handler_end);
  user_regs_struct resumed() const;

  pid_t tid_;
  const process_memory& memory_;
  state state_ = state::gone;
  user_regs_struct registers_{};
  std::vector<std::uint8_t> vectors_;  // with floating point, as the processor saves them
  std::uint64_t signals_ = 0;          // the blocked ones
  std::uint64_t top_ = 0;              // of our data on its stack
  bool has_called_ = false;
  std::uint64_t errno_at_ = 0;  // 0: not kept
  int errno_ = 0;
};

}  // namespace mallard::profile
