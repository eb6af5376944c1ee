// Purpose: puts a library of ours into a process that runs, and calls its functions there.
//
// One thread of the process is stopped, is made to call dlopen and then functions of the library,
// and goes on where it was; the others are not touched. A thread may call dlopen wherever a
// program might, and nowhere else:
//
//   It waits in a system call of the kind that servers wait in (poll, accept, sleep, a condition
//   variable): never one that the dynamic linker or a malloc makes. Such a thread is found without
//   stopping any.
//   Or it runs the program's own code. What the dynamic linker calls there are constructors, which
//   may call dlopen; what mallocs other than the C library's call there, they may not.
//   In neither case it is in a signal handler, which may have interrupted anything.
//
// As long as no thread is at such a place, we look again, until the time is over.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "profile/attach/process_memory.hpp"

namespace mallard::profile {

class stopped_thread;

class running_process {
 public:
  // Throws std::runtime_error, in one line, for a process that nothing can be put into.
  // `waits_long` is called once when no thread has been at such a place for two seconds.
  explicit running_process(pid_t pid, std::function<void()> waits_long = {});

  pid_t pid() const { return pid_; }
  std::vector<std::string> command() const;
  bool is_there() const;  // false: it has ended
  bool has_library(const std::string& path) const;
  // It may then not open what we have open.
  bool has_fewer_rights() const;

  // Effects: loads the library, if it is not there yet, and calls this function of it, with the
  // text where there is one. Throws std::runtime_error, in one line, when that cannot be done; then
  // the process goes on as it was.
  void call(const std::string& library, const char* function, const std::string& text);
  // A number that changes when modules are loaded.
  std::uint64_t modules() const;

 private:
  char state() const;  // as in /proc/PID/stat
  // Parts of the process's code that must not be interrupted, and functions to call.
  struct places {
    std::uint64_t dlopen = 0;
    std::uint64_t handler_end = 0;
    address_range libc;
    std::vector<address_range> loader;         // and the kernel's page of code
    std::vector<address_range> other_mallocs;  // than libc's
  };
  places find_places(const std::vector<mapping>& all) const;
  std::unique_ptr<stopped_thread> stop_somewhere(const places& of,
                                                 const std::vector<mapping>& all) const;
  bool may_stop(pid_t tid, const places& of) const;
  bool is_safe(const stopped_thread& at, const places& of, const std::vector<mapping>& all) const;
  bool has_frames_of(const stopped_thread& at, const places& of, const std::vector<mapping>& all,
                     const address_range& stack) const;
  [[noreturn]] void fail(const std::string& why) const;

  pid_t pid_;
  process_memory memory_;
  std::function<void()> waits_long_;
};

// A line that says what to do where the system keeps one from attaching; empty where it does not.
std::string way_round_ptrace_scope(int scope);

}  // namespace mallard::profile
