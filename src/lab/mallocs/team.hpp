// Threads that start together, made without malloc on our side.
#pragma once

#include <sched.h>

#include <atomic>
#include <span>

#include "lab/mallocs/own_memory.hpp"

namespace mallard::lab::mallocs {

// Seconds on the clock on the wall.
double now();

// Where all of a number of threads wait for each other, as often as they like. They yield rather
// than sleep: being woken takes longer than much of what is measured.
class meeting {
 public:
  void expect(unsigned threads) { expected_ = threads; }
  void wait() {
    const unsigned turn = turn_.load(std::memory_order_acquire);
    if (here_.fetch_add(1, std::memory_order_acq_rel) + 1 == expected_) {
      here_.store(0, std::memory_order_relaxed);
      turn_.store(turn + 1, std::memory_order_release);
      return;
    }
    while (turn_.load(std::memory_order_acquire) == turn) sched_yield();
  }

 private:
  unsigned expected_ = 0;
  alignas(128) std::atomic<unsigned> here_{0};
  alignas(128) std::atomic<unsigned> turn_{0};
};

// A part of a thread's life that is measured.
struct alignas(128) stretch {
  double start = 0;
  double end = 0;
};

// From the first one's start to the last one's end.
double duration(std::span<const stretch> all);

struct team_times {
  double work = 0;   // from the first start of work to the last end
  double whole = 0;  // from before the first thread is made until all are joined
};

// What a thread calls: of which team's data, and its number.
struct team_task {
  void (*prepare)(void* data, unsigned number);
  void (*work)(void* data, unsigned number);
  void* data;
};
team_times run_team(own_memory& own, unsigned threads, const team_task& task);

// Makes threads on stacks of our own, spread over the processors; all call `prepare`, then together
// `work`, with their number. When there cannot be that
// many, the process gives up.
template <class Prepare, class Work>
team_times run_team(own_memory& own, unsigned threads, Prepare&& prepare, Work&& work) {
  struct both {
    Prepare& prepare;
    Work& work;
  } data{prepare, work};
  return run_team(
      own, threads,
      team_task{[](void* all, unsigned number) { static_cast<both*>(all)->prepare(number); },
                [](void* all, unsigned number) { static_cast<both*>(all)->work(number); }, &data});
}

// Binds the calling thread to one of the processors that the process may use, in turn. Where that
// is not allowed it runs anyway.
void settle_down(unsigned number);

}  // namespace mallard::lab::mallocs
