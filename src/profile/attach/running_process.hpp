// Purpose: loads a library of ours into a running process and calls its functions there.
//
// One thread of the process is stopped and made to call dlopen and then functions of the library;
// then it goes on where it was. The other threads are not touched. The thread must be at a place
// where a program may call dlopen:
//
// - It waits in a system call in which servers wait (poll, accept, sleep, a condition variable),
//   and which neither the dynamic linker nor a malloc makes. Such a thread is found without
//   stopping any.
// - Or it runs the program's own code. That may be a constructor called by the dynamic linker,
//   which may call dlopen, but not code that a malloc other than the C library's called.
// - In neither case is it in a signal handler, which may have interrupted anything.
//
// As long as no thread is at such a place, we try again until the time is over.
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
  // Throws std::runtime_error, with one line, if no library can be loaded into the process.
  // `waits_long` is called once if no thread was at a suitable place for two seconds.
  explicit running_process(pid_t pid, std::function<void()> waits_long = {});

  pid_t pid() const { return pid_; }
  std::vector<std::string> command() const;
  bool is_there() const;  // false: it has ended, or executed another program
  bool has_library(const std::string& path) const;
  // Then it may be unable to open our files.
  bool has_fewer_rights() const;

  // Effects: loads the library if necessary and calls its function, with `text` unless empty.
  // Throws std::runtime_error, with one line, if that fails; the process then goes on as before.
  void call(const std::string& library, const char* function, const std::string& text);
  // Returns: a number that changes when modules are loaded.
  std::uint64_t modules() const;

 private:
  // Code of the process that must not be interrupted, and functions to call.
  struct places {
    std::uint64_t dlopen = 0;
    std::uint64_t errno_location = 0;
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
  // The same, unless the process is not there any more: then that is why.
  [[noreturn]] void fail_since(const std::string& why) const;

  pid_t pid_;
  std::uint64_t program_ = 0;  // an address of it; 0: none is known yet
  process_memory memory_;
  std::function<void()> waits_long_;
};

// Returns: a line of advice if this setting prevents attaching; otherwise empty.
std::string way_round_ptrace_scope(int scope);

}  // namespace mallard::profile
