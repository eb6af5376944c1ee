// Says on standard error what a long command does, and for how long it has done so.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace mallard::cli {

// "recording the program: 3 s, at most 20 s". `most`: 0 where nobody knows.
std::string phase_text(std::string_view phase, double passed, double most);

// On a terminal, one line for each phase, whose seconds go on. Elsewhere, as in a log, a line for
// each phase that has lasted two seconds, and another one whenever that has doubled.
class phase_line {
 public:
  phase_line();
  ~phase_line();
  phase_line(const phase_line&) = delete;
  phase_line& operator=(const phase_line&) = delete;

  void begin(std::string_view phase, double most);

 private:
  static constexpr double first_told_seconds = 1.5;

  void tick();
  void draw() const;
  double passed() const;

  bool is_terminal_;
  std::mutex mutex_;
  std::condition_variable_any waiting_;
  std::string phase_;  // empty: none has begun
  double most_ = 0;
  double told_at_ = first_told_seconds;  // seconds of the phase
  std::chrono::steady_clock::time_point began_;
  std::jthread ticker_;  // last: it uses all the others
};

}  // namespace mallard::cli
