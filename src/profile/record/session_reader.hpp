// Purpose: reads what the processes of a session write, and detects which of them have ended.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "profile/record/process_recording.hpp"
#include "profile/record/session_memory.hpp"
#include "profile/record/ticks_clock.hpp"
#include "profile/record/trace_finisher.hpp"

namespace mallard::profile {

struct record_totals {
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;
  std::uint64_t processes = 0;
};

class session_reader {
 public:
  struct naming {
    std::string output;  // of the first process; empty: a name made of its own
    std::uint64_t first_pid = 0;
    std::vector<std::string> command;  // of the first process
    bool begins_late = false;          // it runs when the recording begins
  };
  session_reader(const session_memory& memory, const ticks_clock& clock, naming names,
                 std::function<void(trace_writer&)> finishing);

  // Makes the first process's trace. Throws std::system_error if it cannot be written.
  void open_first();
  std::string first_file() const { return first_ == nullptr ? "" : first_->file(); }

  // Reads what is there. Returns: whether a ring was so full that more will follow at once.
  bool take();
  // Samples the resident memory of the recorded processes.
  void sample_resident();
  // Finishes threads and processes that have ended.
  void reap();
  // The first process has ended in this way; it is not checked any more.
  void end_first(const end_info& end);
  // Nothing is recorded from now on, though the processes may go on.
  void recording_is_over() {
    if (over_at_ == 0) over_at_ = clock_->now();
  }
  // Writes out everything read since the last call, so that it is safe whatever happens to us.
  void flush();
  // Finishes everything. `cuts_off`: processes that still ran are not done with what they did.
  void finish(bool cuts_off);
  // Sends the signal to all recorded processes that have not ended.
  void signal_all(int signal) const;

  record_totals totals() const;
  // Call it after finish().
  const std::vector<recorded_process>& done() const { return done_; }
  // Programs with a malloc of their own, except the first process's.
  const std::set<std::string>& with_own_malloc() const { return with_own_malloc_; }

 private:
  struct open_process {
    std::unique_ptr<process_recording> recording;
    end_info end;
  };

  process_recording* recording_of(std::uint32_t process, const recorder::thread_slot& thread);
  void open_earlier(const recorder::process_slot& than);
  std::unique_ptr<process_recording> open(const recorder::process_slot& slot,
                                          const recorder::thread_slot& thread);
  std::string file_name(std::uint64_t pid, const std::vector<std::string>& command) const;
  process_info info_of(std::uint64_t pid, std::uint64_t parent, std::vector<std::string> command,
                       bool begins_late) const;
  bool is_alive(std::uint32_t process) const;
  bool ran_on(std::uint32_t process) const;
  bool has_threads(std::uint32_t process);
  void look_at_program(const std::string& file);
  template <class Do>
  void for_each_process(Do act);
  void end_process(std::uint32_t process);
  void wait_for_writers() const;
  void finish(std::unique_ptr<process_recording> ended, const end_info& end);
  void end_thread(std::uint32_t thread);

  const session_memory* memory_;
  const ticks_clock* clock_;
  naming names_;
  std::map<std::uint32_t, open_process> open_;  // by slot index
  std::unique_ptr<process_recording> first_;    // until its slot is known
  end_info first_end_;
  std::uint64_t over_at_ = 0;       // 0: the recording goes on
  std::set<std::string> files_;     // all traces
  std::set<std::string> programs_;  // already checked
  std::set<std::string> with_own_malloc_;
  record_totals ended_;  // of ended processes
  std::vector<recorded_process> done_;
  trace_finisher finisher_;
};

}  // namespace mallard::profile
