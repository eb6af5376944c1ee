// Threads that take turns: one at a time makes one step, in an order that is given. What they do to
// what they share is then in an order that can be repeated, and all orders can be tried.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

namespace mallard_test {

class stepped_threads {
 public:
  explicit stepped_threads(std::size_t count) : turns_(count) {}
  ~stepped_threads() {
    for (std::size_t t = 0; t < turns_.size(); ++t) end(t);
  }
  stepped_threads(const stepped_threads&) = delete;
  stepped_threads& operator=(const stepped_threads&) = delete;

  // The thread makes the step; it begins if it is not there. Throws what the step throws.
  void run(std::size_t thread, std::function<void()> what) {
    start(thread, std::move(what));
    wait_for(thread);
  }

  // The same in two parts.
  void start(std::size_t thread, std::function<void()> what) {
    std::unique_ptr<turns>& of = turns_[thread];
    if (of == nullptr) of = std::make_unique<turns>();
    of->start(std::move(what));
  }
  void wait_for(std::size_t thread) { turns_[thread]->wait(); }

  // When this returns the thread has left what is the thread's own.
  void end(std::size_t thread) { turns_[thread] = nullptr; }

 private:
  class turns {
   public:
    turns() : thread_([this] { take_turns(); }) {}
    ~turns() {
      step_ = nullptr;
      mine_.release();
      thread_.join();
    }
    turns(const turns&) = delete;
    turns& operator=(const turns&) = delete;

    void start(std::function<void()> what) {
      step_ = std::move(what);
      mine_.release();
    }
    void wait() {
      done_.acquire();
      if (failure_ != nullptr) std::rethrow_exception(failure_);
    }

   private:
    void take_turns() {
      for (;;) {
        mine_.acquire();
        if (step_ == nullptr) return;
        try {
          step_();
        } catch (...) {
          failure_ = std::current_exception();
        }
        done_.release();
      }
    }

    std::function<void()> step_;
    std::exception_ptr failure_;
    std::binary_semaphore mine_{0};
    std::binary_semaphore done_{0};
    std::thread thread_;  // last: it uses the others at once
  };

  std::vector<std::unique_ptr<turns>> turns_;
};

}  // namespace mallard_test
