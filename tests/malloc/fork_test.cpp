// Forks: beside other threads, with handlers that allocate, and in the handlers of signals.
#include <gtest/gtest.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/time.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include "malloc/workload.hpp"
#include "support/footprint.hpp"

// Functions of the library that is initialised before the malloc.
extern "C" void allocate_in_fork_handlers(bool on);
extern "C" int allocating_fork_handlers_called();
extern "C" void wait_in_fork_handlers(bool on);

namespace {

using malloc_test::allocate_and_free;
using malloc_test::busy_threads;
using malloc_test::exit_code_of;
using malloc_test::in_fresh_process;

TEST(malloc_fork, the_child_can_allocate_whatever_other_threads_did) {
  const busy_threads busy(4);
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(exit_code_of([] { allocate_and_free(10); }), 0) << "fork " << i;
  }
}

TEST(malloc_fork, the_child_uses_again_what_other_threads_had) {
  constexpr std::size_t block_bytes = 4'000;
  static std::array<void*, 20'000> blocks{};
  std::atomic<bool> over{false};
  std::atomic<bool> ready{false};
  std::thread owner([&] {
    for (void*& p : blocks) p = std::memset(std::malloc(block_bytes), 1, block_bytes);
    ready = true;
    while (!over) sched_yield();
  });
  while (!ready) sched_yield();
  const int code = exit_code_of([] {
    const std::size_t before = mallard_test::resident_bytes();
    for (void* p : blocks) std::free(p);
    for (void*& p : blocks) p = std::memset(std::malloc(block_bytes), 2, block_bytes);
    const std::size_t after = mallard_test::resident_bytes();
    _exit(after < before + blocks.size() * block_bytes / 4 ? 7 : 1);
  });
  over = true;
  owner.join();
  for (void* p : blocks) std::free(p);
  EXPECT_EQ(code, 7);
}

TEST(malloc_fork, the_child_can_start_threads_and_fork) {
  const busy_threads busy(2);
  for (int i = 0; i < 30; ++i) {
    const int code = exit_code_of([] {
      std::thread([] { allocate_and_free(5); }).join();
      _exit(exit_code_of([] { allocate_and_free(5); }) == 0 ? 7 : 1);
    });
    ASSERT_EQ(code, 7) << "fork " << i;
  }
}

// One thread reads, holds the stream and allocates; one flushes all streams, holds their list and
// waits for that stream; one forks, and the fork takes the list. It stands still where it does so
// with malloc's locks in its hands.
TEST(malloc_fork, forks_beside_threads_that_read_and_flush_streams) {
  const int code = exit_code_of([] {
    std::atomic<bool> over{false};
    cookie_io_functions_t allocating{};
    allocating.read = [](void*, char* to, std::size_t room) -> ssize_t {
      std::free(std::malloc(3'000'000));  // locks are asked for
      std::memset(to, 'x', room);
      return static_cast<ssize_t>(room);
    };
    FILE* const stream = fopencookie(nullptr, "r", allocating);
    std::thread reader([&] {
      while (!over) fgetc(stream);
    });
    std::thread flusher([&] {
      while (!over) fflush(nullptr);
    });
    wait_in_fork_handlers(true);
    bool all = true;
    for (int i = 0; i < 10; ++i) all = all && exit_code_of([] { _exit(5); }) == 5;
    over = true;
    reader.join();
    flusher.join();
    _exit(all ? 6 : 1);
  });
  EXPECT_EQ(code, 6);
}

// Registered in a process of their own: tests that fork from signal handlers would call them there.
TEST(malloc_fork, handlers_may_allocate) {
  const int code = exit_code_of([] {
    static std::atomic<int> called{0};
    const auto handler = [] {
      std::free(std::malloc(100'000));
      std::free(std::malloc(100));
      ++called;
    };
    pthread_atfork(handler, handler, handler);
    const int in_child = exit_code_of([] { _exit(called == 2 ? 3 : 1); });
    _exit(in_child == 3 && called == 2 ? 4 : 1);
  });
  EXPECT_EQ(code, 4);
}

// They run while the malloc is in the middle of the fork itself.
TEST(malloc_fork, handlers_that_were_registered_before_those_of_malloc_may_allocate) {
  const int code = exit_code_of([] {
    const busy_threads busy(2);
    allocate_in_fork_handlers(true);
    for (int i = 0; i < 20; ++i) {
      const int called = allocating_fork_handlers_called();
      const int in_child = exit_code_of([called] {
        allocate_and_free(10);
        _exit(allocating_fork_handlers_called() == called + 2 ? 3 : 1);
      });
      if (in_child != 3 || allocating_fork_handlers_called() != called + 2) _exit(1);
    }
    allocate_in_fork_handlers(false);
  });
  EXPECT_EQ(code, 0);
}

// A process that has had another thread is more careful as it forks, and then the C library does
// not allow a fork in the middle of another: these begin in one that has not.
volatile sig_atomic_t forks = 0;
volatile sig_atomic_t is_child = 0;
volatile sig_atomic_t failed = 0;

void on_signal(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

// Forks a child that does `in_child`. Returns 0 in the child.
template <class InChild>
pid_t begin_child(InChild in_child) {
  const pid_t child = fork();
  if (child != 0) return child;
  alarm(20);
  is_child = 1;
  in_child();
  return 0;
}

// The same, and waits for it.
template <class InChild>
void fork_in_handler(InChild in_child) {
  const int kept = errno;
  const pid_t child = begin_child(in_child);
  if (child == 0) return;
  int status = 0;
  while (waitpid(child, &status, 0) == -1 && errno == EINTR) {
  }
  if (status != 0) failed = 1;
  forks = forks + 1;
  errno = kept;
}

// After the C library's own test of that name: the signal comes while the process is forking.
TEST(malloc_fork, a_signal_handler_may_fork_in_the_middle_of_a_fork) {
  const auto fork_beside_a_signal = [] {
    on_signal(SIGUSR1, [](int) { fork_in_handler([] { std::exit(0); }); });
    std::free(std::malloc(100));
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
      kill(parent, SIGUSR1);
      _exit(0);
    }
    while (waitpid(child, nullptr, 0) == -1 && errno == EINTR) {
    }
    allocate_and_free(2);
    _exit(forks == 1 && failed == 0 ? 0 : 1);
  };
  EXPECT_EQ(in_fresh_process([&] {
              for (int i = 0; i < 20; ++i) ASSERT_EQ(exit_code_of(fork_beside_a_signal), 0) << i;
            }),
            0);
}

// Much of this happens behind locks.
void use_locks() {
  std::array<char*, 8> blocks{};
  for (char*& p : blocks) {
    p = static_cast<char*>(std::malloc(1'500'000));
    for (std::size_t at = 0; at < 1'500'000; at += 4096) p[at] = 1;
  }
  for (char* p : blocks) std::free(p);
  allocate_and_free(1);
  malloc_trim(0);
  for (int i = 0; i < 10; ++i) static_cast<void>(mallinfo2());
}

// Calls `use_locks` again and again while a timer's handler forks. Ends the process.
[[noreturn]] void fork_from_timer(void (*handler)(int)) {
  on_signal(SIGVTALRM, handler);
  // A clock of processor time, so that the malloc is what is interrupted.
  const itimerval often{{0, 500}, {0, 500}};
  setitimer(ITIMER_VIRTUAL, &often, nullptr);
  while (forks < 40 && is_child == 0) use_locks();
  if (is_child != 0) {
    use_locks();
    _exit(0);
  }
  const itimerval never{};
  setitimer(ITIMER_VIRTUAL, &never, nullptr);
  use_locks();
  _exit(failed);
}

TEST(malloc_fork, a_signal_handler_may_fork_in_the_middle_of_malloc) {
  EXPECT_EQ(
      in_fresh_process([] { fork_from_timer([](int) { fork_in_handler([] { _exit(0); }); }); }), 0);
}

TEST(malloc_fork, its_child_may_go_on_with_what_was_interrupted) {
  EXPECT_EQ(in_fresh_process([] { fork_from_timer([](int) { fork_in_handler([] {}); }); }), 0);
}

TEST(malloc_fork, its_child_may_end_the_process) {
  EXPECT_EQ(
      in_fresh_process([] { fork_from_timer([](int) { fork_in_handler([] { std::exit(0); }); }); }),
      0);
}

TEST(malloc_fork, a_signal_handler_may_fork_beside_other_threads) {
  EXPECT_EQ(exit_code_of([] {
              const busy_threads busy(2);
              fork_from_timer([](int) { fork_in_handler([] { _exit(0); }); });
            }),
            0);
}

void collect_children(int options) {
  for (int status = 0; waitpid(-1, &status, options) > 0;) {
    if (status != 0) failed = 1;
  }
}

// A fork that finds a lock of its own thread taken waits for 20 ms, twice as long as the timer.
TEST(malloc_fork, a_handler_that_forks_by_the_wall_clock_lets_the_interrupted_call_go_on) {
  static volatile sig_atomic_t rounds = 0;
  static volatile sig_atomic_t round_seen = 0;
  static volatile sig_atomic_t times_seen = 0;
  const int code = exit_code_of([] {
    const busy_threads others(1);
    // The handler waits for no child: on a busy machine that takes longer than the timer's period.
    on_signal(SIGALRM, [](int) {
      const int kept = errno;
      begin_child([] { _exit(0); });
      errno = kept;
      times_seen = rounds == round_seen ? times_seen + 1 : 0;
      round_seen = rounds;
      if (times_seen == 200) _exit(2);
    });
    const itimerval often{{0, 10'000}, {0, 10'000}};
    setitimer(ITIMER_REAL, &often, nullptr);
    while (rounds < 300) {
      use_locks();
      collect_children(WNOHANG);
      rounds = rounds + 1;
    }
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    collect_children(0);
    _exit(failed);
  });
  EXPECT_EQ(code, 0);
}

TEST(malloc_fork, a_handler_of_ended_children_may_start_the_next_one) {
  const int code = in_fresh_process([] {
    on_signal(SIGCHLD, [](int) {
      const int kept = errno;
      while (waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      forks = forks + 1;
      if (forks < 100 && fork() == 0) _exit(0);
      errno = kept;
    });
    if (fork() == 0) _exit(0);
    while (forks < 100) use_locks();
  });
  EXPECT_EQ(code, 0);
}

}  // namespace
