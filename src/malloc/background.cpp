// The thread works once a second as long as there is something to give back, and then sleeps until
// somebody needs a heap again. It is not started inside a free: the C library frees what ended
// threads had while it holds the lock that starting a thread takes.
//
// A process whose main thread has ended lives as long as any thread does. So the last thread that
// has called malloc ends this one before it ends itself, and waits for that: then the program's own
// thread calls the handlers of `exit`. A later thread starts it again. Nobody sees the end of a
// thread that first calls malloc in its last destructors: once the main thread has ended, this one
// checks each second whether it is the last. Signals would not end the process either: this thread
// takes none.
#include "malloc/background.hpp"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "malloc/kept_errno.hpp"
#include "malloc/malloc_heaps.hpp"
#include "malloc/slow_path.hpp"

namespace mallard::inline v1::detail {
namespace {

enum progress_of_thread : std::uint32_t { none, starts, looks, sleeps, ends };

constinit std::atomic<bool> is_wanted{false};
constinit std::atomic<std::uint32_t> state{none};
constinit pthread_t thread{};
constinit sigset_t mask_of_program{};
constinit std::atomic<bool> has_lost_main_thread{false};

void wait_while(std::uint32_t value, const timespec* most) noexcept {
  syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, value, most, nullptr, 0);
}

// A main thread that has ended is still counted. The links are the threads, and two.
bool is_last_thread() noexcept {
  struct stat tasks{};
  return has_lost_main_thread.load() && stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == 4;
}

void wake_if_asleep() noexcept {
  std::uint32_t now = sleeps;
  if (state.compare_exchange_strong(now, looks)) os::wake_one(state);
}

void* look_after_idle(void*) {
  constexpr timespec second{1, 0};
  while (state.load() != ends) {
    if (is_last_thread()) {
      // The handlers of `exit` run here.
      is_wanted.store(false);
      state.store(none);
      pthread_sigmask(SIG_SETMASK, &mask_of_program, nullptr);
      return nullptr;
    }
    if (!the_heaps.give_back_idle()) {
      wait_while(looks, &second);
      continue;
    }
    std::uint32_t before = looks;
    if (!state.compare_exchange_strong(before, sleeps)) continue;
    wait_while(sleeps, has_lost_main_thread.load() ? &second : nullptr);
    before = sleeps;
    state.compare_exchange_strong(before, looks);
  }
  return nullptr;
}

// No signal handler runs on the thread.
bool make_thread() noexcept {
  constexpr std::size_t stack_bytes = std::size_t{256} << 10;
  sigset_t all;
  sigfillset(&all);
  pthread_attr_t how;
  if (pthread_attr_init(&how) != 0) return false;
  pthread_attr_setstacksize(&how, stack_bytes);
  pthread_sigmask(SIG_SETMASK, &all, &mask_of_program);
  const bool is_made = pthread_create(&thread, &how, look_after_idle, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &mask_of_program, nullptr);
  pthread_attr_destroy(&how);
  return is_made;
}

// Only the caller that sets `ends` waits for the end.
void end_thread() noexcept {
  std::uint32_t now = state.load();
  do {
    if (now != looks && now != sleeps) return;
  } while (!state.compare_exchange_weak(now, ends));
  os::wake_one(state);
  // A signal handler that ends the program may hold what the thread waits for.
  if (slow_path::is_inside()) return;
  pthread_join(thread, nullptr);
  state.store(none);
}

}  // namespace

void start_background() noexcept {
  is_wanted.store(true);
  std::uint32_t before = none;
  if (!state.compare_exchange_strong(before, starts)) return;
  const kept_errno keep;
  state.store(looks);
  if (make_thread()) return;
  is_wanted.store(false);
  state.store(none);
}

void end_background() noexcept {
  if (is_wanted.exchange(false)) end_thread();
}

void pause_background() noexcept {
  if (is_wanted.load(std::memory_order_relaxed)) end_thread();
}

void note_end_of_thread() noexcept {
  if (!is_wanted.load(std::memory_order_relaxed) || syscall(SYS_gettid) != getpid()) return;
  has_lost_main_thread.store(true);
  wake_if_asleep();
}

void forget_background() noexcept {
  has_lost_main_thread.store(false);
  state.store(none);
}

bool background_looks(bool may_start) noexcept {
  if (!is_wanted.load(std::memory_order_relaxed)) [[likely]] {
    return false;
  }
  std::uint32_t now = state.load(std::memory_order_relaxed);
  if (now == none && may_start) start_background();
  if (now == sleeps) wake_if_asleep();
  return now == looks || now == sleeps;
}

}  // namespace mallard::inline v1::detail
