#include "preload/cpu_timer.hpp"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "unwind/frame_step.hpp"

extern "C" {
// Bounds of this library, defined by the linker.
extern const char __ehdr_start __attribute__((visibility("hidden")));
extern const char _end __attribute__((visibility("hidden")));
}

namespace mallard::preload {
namespace {

cpu_timer_user user;
std::uint32_t period = 0;
bool has_timers = false;

// The kernel looks for timers that are over at its ticks alone. Periods of a tick, at least one.
std::uint32_t periods_of_tick = 1;
// Whether this thread's timer has no sample yet.
thread_local constinit bool is_first __attribute__((tls_model("initial-exec"))) = false;

long tick_ns() noexcept {
  timespec tick{};
  return clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0 ? tick.tv_nsec : 0;
}

bool is_ours(std::uint64_t ip) {
  const auto start = reinterpret_cast<std::uint64_t>(&__ehdr_start);
  return ip - start < reinterpret_cast<std::uint64_t>(&_end) - start;
}

// As the kernel defines it: the C library's functions refuse this signal.
struct kernel_action {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)();
  std::uint64_t mask;
};
std::atomic<void (*)(int, siginfo_t*, void*)> handler_before{nullptr};

#if defined(__x86_64__)
// Byte for byte the end of a signal handler that unwinders recognise.
extern "C" [[gnu::visibility("hidden")]] void mallard_return_from_signal();
asm(".text\n"
    ".balign 16\n"
    "nop\n"
    ".hidden mallard_return_from_signal\n"
    ".globl mallard_return_from_signal\n"
    ".type mallard_return_from_signal,@function\n"
    "mallard_return_from_signal:\n"
    "mov $15, %rax\n"
    "syscall\n"
    ".size mallard_return_from_signal,.-mallard_return_from_signal\n");
constexpr unsigned long has_restorer = 0x04000000;
#endif

long change_action(const kernel_action* to, kernel_action* from) {
  return syscall(SYS_rt_sigaction, cpu_signal, to, from, sizeof(kernel_action::mask));
}

void pass_on(siginfo_t* info, void* context) {
  const auto next = handler_before.load(std::memory_order_acquire);
  if (next == nullptr) return;
  // That handler may not return here, so restore the mask of blocked signals first.
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &static_cast<ucontext_t*>(context)->uc_sigmask, nullptr,
          sizeof(kernel_action::mask));
  next(cpu_signal, info, context);
}

void on_signal(int, siginfo_t* info, void* context) {
  if (info->si_code != SI_TIMER || info->si_value.sival_ptr != &user) {
    return pass_on(info, context);
  }
  const unwind::frame_state at =
      unwind::interrupted_state(*static_cast<const ucontext_t*>(context));
  // Time in this library is not the program's.
  if (is_ours(at.ip)) return;
  const int before = errno;
  std::uint32_t times = 1 + static_cast<std::uint32_t>(info->si_overrun);
  // A thread that ends before a tick has no sample. So the first one of another stands for a tick.
  if (is_first) times = std::max(times, periods_of_tick);
  is_first = false;
  if (!user.sampled(at, times)) {
    delete_cpu_timer(info->si_timerid);
  }
  errno = before;
}

// The C library installs its handler once, with the first thread. Ours is installed before that and
// again after it. It is not done more often, because a program may have given up the right to ask.
enum class installed : std::uint32_t { never, before_threads, for_good };
std::atomic<installed> stage{installed::never};

bool install_handler() {
  const installed done = stage.load(std::memory_order_acquire);
  const bool alone = __libc_single_threaded != 0;
  if (done == installed::for_good || (done == installed::before_threads && alone)) return true;
  kernel_action found{};
  if (change_action(nullptr, &found) != 0) return false;
  const installed now = alone ? installed::before_threads : installed::for_good;
  if (found.handler == on_signal) {
    stage.store(now, std::memory_order_release);
    return true;
  }
  const bool none = reinterpret_cast<std::uintptr_t>(found.handler) <= 1;  // SIG_DFL, SIG_IGN
  handler_before.store(none ? nullptr : found.handler, std::memory_order_release);
  kernel_action action{};
  action.handler = on_signal;
  action.flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  action.mask = ~std::uint64_t{0};
#if defined(__x86_64__)
  action.flags |= has_restorer;
  action.restorer = mallard_return_from_signal;
#endif
  if (change_action(&action, nullptr) != 0) return false;
  stage.store(now, std::memory_order_release);
  return true;
}

// A timer must be deleted with its thread, not only at the end of the process, because pending
// signals count against the user's limit. The child of a fork has no timers, so the process number
// is stored beside the timer's.
pthread_key_t timer_of_thread;

// Counts preparations: a process that is sampled again has new timers.
std::uint32_t preparations = 0;

std::uintptr_t this_process() {
  return (std::uintptr_t{preparations} << 16 | (user.process_number() & 0xffff)) & 0xffffffff;
}

bool is_of_this_process(std::uintptr_t both) {
  return user.process_number() != 0 && both >> 32 == this_process();
}

int timer_in(std::uintptr_t both) {
  return static_cast<int>(both & 0xffffffff);
}

void delete_timer(void* value) {
  const auto both = reinterpret_cast<std::uintptr_t>(value);
  if (!is_of_this_process(both)) return;
  delete_cpu_timer(timer_in(both));
}

}  // namespace

void prepare_cpu_timers(const cpu_timer_user& of, std::uint32_t period_us) noexcept {
  has_timers = false;
  if (period_us == 0) return;
  // Only if the C library keeps both signals for itself.
  if (SIGRTMIN <= cpu_signal) return;
  if (preparations == 0 && pthread_key_create(&timer_of_thread, delete_timer) != 0) return;
  ++preparations;
  user = of;
  period = period_us;
  periods_of_tick = std::max(1U, static_cast<std::uint32_t>(tick_ns() / (1000L * period_us)));
  has_timers = true;
}

namespace {

// When a thread has its first sample: however short it is, it has one as often as its share of the
// time. A period that is shorter than a tick has to be over at the first one.
long first_of(long period_ns) noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto mixed = (static_cast<std::uint64_t>(now.tv_nsec) + static_cast<unsigned>(gettid())) *
                     0x9e37'79b9'7f4a'7c15;
  const auto chosen = static_cast<long>((mixed >> 32) % static_cast<std::uint64_t>(period_ns));
  return std::max(1L, chosen - tick_ns());
}

}  // namespace

int start_cpu_timer() noexcept {
  if (!has_timers) return no_timer;
  const auto kept = reinterpret_cast<std::uintptr_t>(pthread_getspecific(timer_of_thread));
  if (is_of_this_process(kept)) return timer_in(kept);
  const int before = errno;
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = cpu_signal;
  event.sigev_value.sival_ptr = &user;
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif
  event.sigev_notify_thread_id = gettid();
  int timer = no_timer;
  if (install_handler() &&
      syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0) {
    is_first = true;
    const long nanoseconds = static_cast<long>(period) * 1000;
    const itimerspec every{{0, nanoseconds}, {0, first_of(nanoseconds)}};
    syscall(SYS_timer_settime, timer, 0, &every, nullptr);
    const std::uintptr_t both = this_process() << 32 | static_cast<unsigned>(timer);
    pthread_setspecific(timer_of_thread, reinterpret_cast<void*>(both));
  } else {
    timer = no_timer;
  }
  errno = before;
  return timer;
}

void delete_cpu_timer(int timer) noexcept {
  if (timer != no_timer) syscall(SYS_timer_delete, timer);
}

void keep_cpu_signal() noexcept {
  if (!has_timers) return;
  const int before = errno;
  install_handler();
  errno = before;
}

}  // namespace mallard::preload
