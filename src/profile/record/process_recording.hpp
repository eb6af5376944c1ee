// Purpose: writes one process's trace during the recording.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "profile/record/resident_samples.hpp"
#include "profile/record/thread_recording.hpp"
#include "profile/record/ticks_clock.hpp"
#include "profile/trace/trace_writer.hpp"
#include "recorder/session.hpp"

namespace mallard::profile {

// The result for one process.
struct recorded_process {
  std::uint64_t pid = 0;
  std::string file;  // empty: nothing could be written
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;  // of the file
  std::uint64_t threads = 0;
  std::uint64_t dropped = 0;
  std::uint64_t refused = 0;  // of these, of threads beyond those that are recorded at once
  std::uint64_t waited_ns = 0;
  bool ran_on = false;  // beyond the recording, so the trace is not finished
  std::string error;    // one line, if the file could not be written
};

class process_recording {
 public:
  // Throws std::system_error if the file cannot be made.
  process_recording(std::string file, const process_info& info, const ticks_clock& clock);

  // Reads what a thread has written since the last call. Returns: the number of words.
  std::uint64_t take(std::uint32_t index, recorder::thread_slot& slot,
                     const recorder::process_slot& process);
  // The thread has ended and its ring is empty.
  void end_thread(std::uint32_t index, const recorder::thread_slot& slot, std::uint64_t time);
  // So many operations of threads for which there was no room are lost.
  void refuse(std::uint64_t operations);
  // Writes everything taken so far to the file.
  void flush();
  // Call it now and then: samples the resident memory of the process.
  void sample_resident(std::uint64_t time) { resident_.take(time); }
  bool has_threads() const { return !open_.empty(); }

  std::uint64_t pid() const { return pid_; }
  const std::string& file() const { return file_; }
  std::uint64_t events() const;
  std::uint64_t bytes() const { return trace_.bytes(); }

  // The process runs on unrecorded: its trace has no end and is left as one that was not finished.
  void leave_unfinished() { ran_on_ = true; }
  // Writes the rest. `finishing` may add to the trace, such as symbols, before it is closed.
  recorded_process finish(const end_info& end, const std::function<void(trace_writer&)>& finishing);

 private:
  thread_recording& thread(std::uint32_t index, const recorder::thread_slot& slot);
  void describe(const thread_recording& from, const recorder::thread_slot& slot,
                std::uint64_t ended);

  std::string file_;
  std::uint64_t pid_;
  const ticks_clock* clock_;
  trace_writer trace_;
  resident_samples resident_;
  std::map<std::uint32_t, thread_recording> open_;  // by slot index
  std::uint32_t thread_count_ = 0;
  std::uint64_t ended_events_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t waited_ns_ = 0;
  bool ran_on_ = false;
};

}  // namespace mallard::profile
