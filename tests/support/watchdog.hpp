// Ends the process with a message when a test hangs, instead of keeping everybody waiting.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace mallard_test {

class watchdog {
 public:
  explicit watchdog(const char* what, std::chrono::seconds patience = std::chrono::seconds(60))
      : thread_([this, what, patience] { watch(what, patience); }) {}
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  ~watchdog() {
    {
      const std::lock_guard hold(lock_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

 private:
  void watch(const char* what, std::chrono::seconds patience) {
    std::unique_lock hold(lock_);
    if (changed_.wait_for(hold, patience, [&] { return over_; })) return;
    std::fprintf(stderr, "hangs: %s\n", what);
    std::abort();
  }

  std::mutex lock_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace mallard_test
