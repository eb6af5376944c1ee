// A running program that counts its allocations (src/live), seen from outside.
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

// Since the program's start.
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

// The reading of one stack, estimated from samples.
struct site_reading {
  std::uint64_t address = 0;  // see live::site
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
  std::vector<thread_reading> threads;  // live ones with allocations or frees
  std::vector<site_reading> sites;      // by number; new ones are added at the end
  std::uint64_t resident_bytes = 0;
  std::uint64_t not_kept = 0;  // samples whose frees are not noticed
};

class watched_process {
 public:
  // Throws std::runtime_error, with one line, for a process that does not exist, may not be
  // inspected, or does not count.
  explicit watched_process(pid_t pid);
  ~watched_process();
  watched_process(const watched_process&) = delete;
  watched_process& operator=(const watched_process&) = delete;

  // Whether this process can be watched now. Throws as above, except for one that does not count.
  static bool is_counting(pid_t pid);
  // Whether counters were attached to it and the process that attached them is gone.
  static bool is_left_behind(pid_t pid);
  // Throws std::runtime_error if counters were attached to it and are in use: another library would
  // not find the calls that it expects.
  static void refuse_attached(pid_t pid);
  // Throws std::runtime_error if a program that we start has less address space than the counters
  // need.
  static void refuse_little_room();
  // Notes that `watcher` attached to it, or took it over.
  void is_watched_by(pid_t watcher);
  // In an attached process, modules loaded since get their hooks soon.
  void look_for_modules();
  // Returns: false if it has ended or executed another program.
  bool is_there() const;
  // Also works for an ended process: its last counts.
  reading read() const;
  std::string command() const { return command_; }
  pid_t pid() const { return pid_; }
  // The modules of the sites' addresses, by number.
  std::vector<std::string> module_paths() const;

 private:
  pid_t pid_;
  std::string command_;
  std::string file_;  // in /proc; identifies the mapped memory
  live::session* all_ = nullptr;
};

}  // namespace mallard::watch
