// Runs a program again and again, and measures each run from outside.
//
// The runs are started by a process that was forked before anything else was done: what the system
// reports as a program's peak of memory includes that of the process which started it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "process/process.hpp"

namespace mallard::whatif {

struct run_figures {
  double seconds = 0;
  double processor_seconds = 0;  // with those of its children
  double others_seconds = 0;     // that all processors spent on other work meanwhile
  std::uint64_t resident_bytes = 0;
  std::uint64_t page_faults = 0;
  int status = 0;               // as of waitpid
  int error = 0;                // errno: it was not started
  bool left_processes = false;  // that outlived it, and were ended; they are in no figure
  bool took_too_long = false;   // and was ended
  std::uint64_t output = 0;     // a hash of what it wrote, where that is asked for
  // The number that it wrote where the runner looks for one; no number: it wrote none.
  double metric = std::numeric_limits<double>::quiet_NaN();
};

class program_runner {
 public:
  // `metric`: a regular expression for one line of what the program writes. The number in its first
  // group, or all of it, is each run's, the last one where there are several; empty: none is looked
  // for. `interrupted` is asked while a program runs; if it says yes, the program gets SIGTERM, and
  // a second later SIGKILL. Throws std::system_error, or std::regex_error.
  explicit program_runner(std::vector<std::string> command, const std::string& metric = {},
                          bool (*interrupted)() = nullptr);
  ~program_runner();
  program_runner(const program_runner&) = delete;
  program_runner& operator=(const program_runner&) = delete;

  // `environment`: what is set for it. Its output goes nowhere; its input is ours from the start,
  // where that is a file, else there is none. What it leaves running is ended. A run that takes
  // longer than `longest` seconds is ended as an interrupted one; 0: it may take any time. Throws
  // std::runtime_error when the runner is gone.
  run_figures run(const process::environment& environment, bool reads_output, double longest = 0);
  // Whether a number is looked for.
  bool reads_metric() const { return reads_metric_; }
  // Number of runs so far.
  unsigned runs() const { return runs_; }
  // If so, the last run's figures are not the program's.
  bool was_interrupted() const { return interrupted_ != nullptr && interrupted_(); }

 private:
  bool wait_for_answer(double longest) const;

  bool (*interrupted_)();
  bool reads_metric_;
  pid_t pid_ = -1;
  int channel_ = -1;
  unsigned runs_ = 0;
};

}  // namespace mallard::whatif
