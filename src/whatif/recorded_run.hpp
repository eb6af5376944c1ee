// Recording a program, for the commands that do it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/record/recording.hpp"

namespace mallard::whatif {

// The path of libmallard-record.so: beside the program, where it is built or installed. Throws
// lab::usage_error where there is none.
std::string record_library();

// Throws usage_error if there is no such program or it cannot be run. Returns: what will keep it
// from being recorded; empty if nothing will.
std::string look_at_program(const std::string& program);

// The trace to look at first: most happened in it. Null where there is none.
const profile::recorded_process* main_trace(const profile::record_summary& done);
// Whether the program, which could be recorded, and all that it started did no heap operation.
bool requested_nothing(const profile::record_summary& done);

struct recorded_run {
  std::string trace;  // of the process in which most happened; empty: nothing was recorded
  bool requested_nothing = false;
  std::string empty_trace = {};  // then; empty if there is none, either
  std::string remark = {};       // why there is no trace, in one line
  profile::record_summary summary;
};

// Effects: records the command, or the process, of the options, and writes the trace, or the traces
// of its processes, into the folder. A command runs to its end, its output and exit status being
// its own. `samples`: of its processor time. `driven`: the program that the command, a shell, only
// drives; the shell's own traces are left out. Throws usage_error or std::runtime_error, in one
// line, if it cannot be recorded.
recorded_run record_into(const std::string& folder, profile::record_options options,
                         bool samples = true, const std::string& driven = "");

// A folder for files that are of no use to anybody afterwards; it is removed with them.
class temporary_folder {
 public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace mallard::whatif
