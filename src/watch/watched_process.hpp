// A running program that counts what it allocates (src/live), seen from outside.
//
//   watched_process program(pid);
//   while (program.is_there()) … program.read() …
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace mallard::live {
struct session;
}

namespace mallard::watch {

// All since the program's start.
struct counts {
  std::uint64_t allocations = 0;
  std::uint64_t bytes = 0;
  std::uint64_t frees = 0;
};

struct thread_reading {
  std::uint32_t tid = 0;
  std::string name;
  counts of;
};

// The reading of one stack, as estimated from samples.
struct site_reading {
  std::uint64_t address = 0;  // as in live::site
  std::uint32_t parent = 0;
  double allocations = 0;
  double bytes = 0;
  double live_blocks = 0;
  double live_bytes = 0;
};

struct reading {
  std::chrono::steady_clock::time_point when;
  double seconds = 0;  // since the program's start
  counts all;
  std::vector<thread_reading> threads;  // that live and have allocated or freed something
  std::vector<site_reading> sites;      // by number; those that came later are behind
  std::uint64_t resident_bytes = 0;
  std::uint64_t not_kept = 0;  // samples of whose end nothing is known
};

class watched_process {
 public:
  // Throws std::runtime_error, in one line, for a process that is not there, may not be looked at,
  // or does not count.
  explicit watched_process(pid_t pid);
  ~watched_process();
  watched_process(const watched_process&) = delete;
  watched_process& operator=(const watched_process&) = delete;

  // Whether one could look at this process now. Throws as above, but for one that does not count.
  static bool is_counting(pid_t pid);
  // Whether counters were put into it as it ran, and nobody is there any more to take them out.
  static bool is_left_behind(pid_t pid);
  // Throws std::runtime_error where counters were put into it as it ran, and are in use: its calls
  // are not those that another library looks for.
  static void refuse_attached(pid_t pid);
  // This process attached to it, or took it over.
  void is_watched_by(pid_t watcher);
  // In an attached process, modules that it has loaded meanwhile get their hooks soon.
  void look_for_modules();
  // False: it has ended, or is another program now.
  bool is_there() const;
  // Also when it is not there any more: what it had counted.
  reading read() const;
  std::string command() const { return command_; }
  pid_t pid() const { return pid_; }
  // Whose places the sites' addresses are, by number.
  std::vector<std::string> module_paths() const;

 private:
  pid_t pid_;
  std::string command_;
  std::string file_;  // in /proc, which stands for what is mapped
  live::session* all_ = nullptr;
};

}  // namespace mallard::watch
