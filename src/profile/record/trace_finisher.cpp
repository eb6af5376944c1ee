#include "profile/record/trace_finisher.hpp"

#include <signal.h>

#include <utility>

namespace mallard::profile {

trace_finisher::~trace_finisher() {
  stop();
}

void trace_finisher::add(std::unique_ptr<process_recording> ended, const end_info& end) {
  {
    const std::scoped_lock lock(mutex_);
    jobs_.push_back({std::move(ended), end});
  }
  changed_.notify_all();
  if (thread_.joinable()) return;
  // The recording thread handles the signals.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { work(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

std::vector<recorded_process> trace_finisher::take() {
  stop();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  return std::move(done_);
}

// Effects: finishes everything added before.
void trace_finisher::stop() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void trace_finisher::work() {
  for (;;) {
    job next;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !jobs_.empty() || stopping_; });
      if (jobs_.empty()) return;
      next = std::move(jobs_.front());
      jobs_.pop_front();
    }
    try {
      done_.push_back(next.ended->finish(next.end, finishing_));
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
    }
  }
}

}  // namespace mallard::profile
