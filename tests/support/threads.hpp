// Threads that all do the same.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <type_traits>
#include <vector>

namespace mallard_test {

// Effects: runs work(i), or work(), in a thread of its own for each i below `count`. Returns when
// all have ended.
template <class Count, class Work>
void in_threads(Count count, const Work& work) {
  std::vector<std::thread> threads;
  for (Count i = 0; i < count; ++i) {
    if constexpr (std::is_invocable_v<const Work&, Count>) {
      threads.emplace_back([&work, i] { work(i); });
    } else {
      threads.emplace_back([&work] { work(); });
    }
  }
  for (std::thread& thread : threads) thread.join();
}

// Threads that do something again and again, until the object goes.
class busy_threads {
 public:
  busy_threads(int count, std::function<void()> work) : work_(std::move(work)) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this] {
        while (!stop_) work_();
      });
    }
  }
  ~busy_threads() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  busy_threads(const busy_threads&) = delete;
  busy_threads& operator=(const busy_threads&) = delete;

 private:
  const std::function<void()> work_;
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

}  // namespace mallard_test
