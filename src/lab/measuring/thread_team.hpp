// Threads that start together. Only making threads, and the last function, call malloc, so this can
// be used where malloc is measured.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <span>

namespace mallard::lab {

// Wall-clock time in seconds.
double now();

// A reusable barrier. Threads yield rather than sleep, because a wake-up takes longer than many
// measured stretches.
class meeting {
 public:
  void expect(unsigned threads) { expected_ = threads; }
  // Returns: false if the meeting was cancelled.
  bool wait() {
    const unsigned turn = turn_.load(std::memory_order_acquire);
    if (here_.fetch_add(1, std::memory_order_acq_rel) + 1 == expected_) {
      here_.store(0, std::memory_order_relaxed);
      turn_.store(turn + 1, std::memory_order_release);
      return !called_off_.load(std::memory_order_acquire);
    }
    while (turn_.load(std::memory_order_acquire) == turn) {
      if (called_off_.load(std::memory_order_acquire)) return false;
      sched_yield();
    }
    return !called_off_.load(std::memory_order_acquire);
  }
  void call_off() { called_off_.store(true, std::memory_order_release); }

 private:
  unsigned expected_ = 0;
  alignas(128) std::atomic<unsigned> here_{0};
  alignas(128) std::atomic<unsigned> turn_{0};
  std::atomic<bool> called_off_{false};
};

// A measured part of a thread's life.
struct alignas(128) stretch {
  double start = 0;
  double end = 0;

  // Extends it to contain another one.
  void add(const stretch& other);
};

// From the first start to the last end.
double duration(std::span<const stretch> all);

// Binds the calling thread to one of the processors that the process might use at the first call,
// in turn. The scheduler alone may take longer to spread threads than they run. Without permission
// the thread runs unbound.
void settle_down(unsigned number);

// Functions that a thread calls with its number.
struct team_task {
  void (*prepare)(void* data, unsigned number);
  void (*work)(void* data, unsigned number);
  void* data;
};

// A thread of a team. The team's maker owns the members and may give them stacks.
struct alignas(128) team_member {
  std::span<std::byte> stack = {};  // empty: the system's
  stretch work = {};
  std::exception_ptr problem = {};
  const team_task* task = nullptr;
  meeting* line = nullptr;
  unsigned number = 0;
  pthread_t thread{};
};

struct team_times {
  double work = 0;   // from the first start of work to the last end
  double whole = 0;  // from before the first thread is made until all are joined
};

// Makes a thread for each member, bound to its processor. All call `prepare`, then together `work`.
// Waits for them. Throws the first exception of a thread, or std::system_error if there cannot be
// that many.
team_times run_team(std::span<team_member> members, const team_task& task);

template <class Prepare, class Work>
team_times run_team(std::span<team_member> members, Prepare& prepare, Work& work) {
  struct both {
    Prepare& prepare;
    Work& work;
  } data{prepare, work};
  return run_team(
      members,
      team_task{[](void* all, unsigned number) { static_cast<both*>(all)->prepare(number); },
                [](void* all, unsigned number) { static_cast<both*>(all)->work(number); }, &data});
}

// The same with members of its own. Returns: the seconds of the work.
double run_team(unsigned threads, const std::function<void(unsigned)>& prepare,
                const std::function<void(unsigned)>& work);

}  // namespace mallard::lab
