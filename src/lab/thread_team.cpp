#include "lab/thread_team.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>
#include <vector>

namespace mallard::lab {
namespace {

using clock = std::chrono::steady_clock;

// What a thread leaves behind.
struct alignas(128) trace {
  clock::time_point start;
  clock::time_point end;
  std::exception_ptr problem;
};

// Threads wait at it until all have come. They yield rather than sleep: being woken takes longer
// than many of the rounds that are measured.
class start_line {
 public:
  explicit start_line(unsigned expected) : missing_(expected) {}
  // False when it is not going to happen.
  bool wait() {
    --missing_;
    while (missing_ > 0 && !called_off_) std::this_thread::yield();
    return !called_off_;
  }
  void call_off() { called_off_ = true; }

 private:
  std::atomic<unsigned> missing_;
  std::atomic<bool> called_off_{false};
};

}  // namespace

double run_team(unsigned threads, const std::function<void(unsigned)>& prepare,
                const std::function<void(unsigned)>& work) {
  start_line line(threads);
  std::vector<trace> traces(threads);
  std::vector<std::jthread> team;  // joined before anything above goes away
  team.reserve(threads);
  const auto life = [&](unsigned number) {
    trace& own = traces[number];
    try {
      prepare(number);
    } catch (...) {
      own.problem = std::current_exception();
      line.call_off();
    }
    if (!line.wait()) return;
    own.start = clock::now();
    try {
      work(number);
    } catch (...) {
      own.problem = std::current_exception();
    }
    own.end = clock::now();
  };
  try {
    for (unsigned number = 0; number < threads; ++number) team.emplace_back(life, number);
  } catch (...) {
    line.call_off();
    throw;
  }
  for (std::jthread& one : team) one.join();
  for (const trace& one : traces) {
    if (one.problem) std::rethrow_exception(one.problem);
  }
  const auto earlier = [](const trace& a, const trace& b) { return a.start < b.start; };
  const auto sooner = [](const trace& a, const trace& b) { return a.end < b.end; };
  const auto start = std::min_element(traces.begin(), traces.end(), earlier)->start;
  const auto end = std::max_element(traces.begin(), traces.end(), sooner)->end;
  return std::chrono::duration<double>(end - start).count();
}

}  // namespace mallard::lab
