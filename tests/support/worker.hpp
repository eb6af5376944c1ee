// A thread that does one thing after another, when it is told to.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace mallard_test {

class worker {
 public:
  worker() : thread_([this] { run(); }) {}
  ~worker() {
    {
      const std::lock_guard hold(lock_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void does(std::function<void()> what) {
    std::unique_lock hold(lock_);
    task_ = std::move(what);
    changed_.notify_all();
    changed_.wait(hold, [&] { return !task_; });
  }

 private:
  void run() {
    std::unique_lock hold(lock_);
    for (;;) {
      changed_.wait(hold, [&] { return over_ || task_; });
      if (!task_) return;
      task_();
      task_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::function<void()> task_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace mallard_test
