#include "lab/measuring/thread_team.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>
#include <vector>

namespace mallard::lab {
namespace {

using clock = std::chrono::steady_clock;

// The processors that this process may use.
std::vector<unsigned> own_processors() {
  std::vector<unsigned> processors;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return processors;
  for (unsigned one = 0; one < CPU_SETSIZE; ++one) {
    if (CPU_ISSET(one, &allowed)) processors.push_back(one);
  }
  return processors;
}

// Binds the calling thread to one of them, in turn. Where that is not allowed it runs anyway.
void settle_down(unsigned number, const std::vector<unsigned>& processors) {
  if (processors.empty()) return;
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  CPU_SET(processors[number % processors.size()], &chosen);
  sched_setaffinity(0, sizeof chosen, &chosen);
}

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
  const std::vector<unsigned> processors = own_processors();
  start_line line(threads);
  std::vector<trace> traces(threads);
  std::vector<std::jthread> team;  // joined before anything above goes away
  team.reserve(threads);
  const auto life = [&](unsigned number) {
    trace& own = traces[number];
    settle_down(number, processors);
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
