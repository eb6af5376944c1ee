// The progress of a bench, and its remaining time.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string_view>

namespace mallard::lab {

struct progress {
  std::size_t done = 0;  // repetitions
  std::size_t total = 0;
  double seconds_left = 0;
  std::string_view doing;
};

// Counts repetitions and predicts the remaining time from the ratio of real to expected seconds.
class pace {
 public:
  pace(std::size_t total, double expected, std::function<void(const progress&)> tell)
      : total_(total), expected_(expected), tell_(std::move(tell)) {}

  void step(double expected, std::string_view doing);

 private:
  std::size_t done_ = 0;
  std::size_t total_;
  double spent_ = 0;
  double expected_;
  std::function<void(const progress&)> tell_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

inline void pace::step(double expected, std::string_view doing) {
  ++done_;
  spent_ += expected;
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (tell_) tell_({done_, total_, elapsed * (expected_ - spent_) / spent_, doing});
}

}  // namespace mallard::lab
