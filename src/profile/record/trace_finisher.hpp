// Finishes the traces of ended processes, one by one, on its own thread. Looking up symbols takes
// long, and meanwhile other processes' rings fill.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "profile/record/process_recording.hpp"

namespace mallard::profile {

class trace_finisher {
 public:
  // `finishing` is called on the thread for one trace at a time, before it is closed; may be empty.
  explicit trace_finisher(std::function<void(trace_writer&)> finishing)
      : finishing_(std::move(finishing)) {}
  ~trace_finisher();
  trace_finisher(const trace_finisher&) = delete;
  trace_finisher& operator=(const trace_finisher&) = delete;

  void add(std::unique_ptr<process_recording> ended, const end_info& end);
  // Waits until all are finished. Returns: the results in the order of the add() calls. Throws what
  // finishing them has thrown.
  std::vector<recorded_process> take();

 private:
  struct job {
    std::unique_ptr<process_recording> ended;
    end_info end;
  };
  void work();
  void stop();

  std::function<void(trace_writer&)> finishing_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<job> jobs_;
  bool stopping_ = false;
  std::vector<recorded_process> done_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace mallard::profile
