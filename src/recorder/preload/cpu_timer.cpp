#include "recorder/preload/cpu_timer.hpp"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "recorder/preload/hook.hpp"

extern "C" {
// The bounds of this library, of the linker.
extern const char __ehdr_start __attribute__((visibility("hidden")));
extern const char _end __attribute__((visibility("hidden")));
}

namespace mallard::recorder {
namespace {

frame_state state_of(const ucontext_t& from) {
#if defined(__x86_64__)
  const auto& saved = from.uc_mcontext.gregs;
  return {static_cast<std::uint64_t>(saved[REG_RIP]), static_cast<std::uint64_t>(saved[REG_RSP]),
          static_cast<std::uint64_t>(saved[REG_RBP])};
#elif defined(__aarch64__)
  return {from.uc_mcontext.pc, from.uc_mcontext.sp, from.uc_mcontext.regs[29]};
#endif
}

bool is_ours(std::uint64_t ip) {
  const auto start = reinterpret_cast<std::uint64_t>(&__ehdr_start);
  return ip - start < reinterpret_cast<std::uint64_t>(&_end) - start;
}

void on_signal(int, siginfo_t* info, void* context) {
  if (info->si_code != SI_TIMER) return;
  const frame_state at = state_of(*static_cast<const ucontext_t*>(context));
  // Time of the recorder is none of the program's.
  if (is_ours(at.ip)) return;
  const std::uint32_t times = 1 + static_cast<std::uint32_t>(info->si_overrun);
  thread_log* const log = ready_log();
  if (log == nullptr) return;
  if (this_thread.busy || this_thread.in_new != 0) {
    log->sample_in_call(times);
    return;
  }
  const int before = errno;
  this_thread.busy = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  log->sample(at, times);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  this_thread.busy = false;
  errno = before;
}

}  // namespace

void install_cpu_signal() noexcept {
  if (process.all->options.cpu_period_us == 0) return;
  // From the far end: programs that use real-time signals count from SIGRTMIN.
  for (int signal = SIGRTMAX - 1; signal > SIGRTMIN; --signal) {
    struct sigaction found{};
    if (sigaction(signal, nullptr, &found) != 0) continue;
    if ((found.sa_flags & SA_SIGINFO) != 0 || found.sa_handler != SIG_DFL) continue;
    struct sigaction action{};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    if (sigaction(signal, &action, nullptr) == 0) process.cpu_signal = signal;
    return;
  }
}

void start_cpu_timer() noexcept {
  if (process.cpu_signal == 0) return;
  const int before = errno;
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = process.cpu_signal;
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif
  event.sigev_notify_thread_id = gettid();
  int timer = 0;
  if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0) {
    const long nanoseconds = static_cast<long>(process.all->options.cpu_period_us) * 1000;
    const itimerspec every{{0, nanoseconds}, {0, nanoseconds}};
    syscall(SYS_timer_settime, timer, 0, &every, nullptr);
  }
  errno = before;
}

}  // namespace mallard::recorder
