// Purpose: writing to a file or a pipe fails without a signal, which would end the process: SIGXFSZ
// beyond RLIMIT_FSIZE, SIGPIPE where nobody reads.
#pragma once

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace mallard::inline v1::detail {

// Holds both back from the thread that writes, and takes the one of a write that failed. Keeps
// errno.
class file_signals_held {
 public:
  file_signals_held() noexcept {
    if (sigpending(&pending_before_) != 0) sigemptyset(&pending_before_);
    sigset_t both;
    sigemptyset(&both);
    sigaddset(&both, SIGXFSZ);
    sigaddset(&both, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &both, &before_);
  }
  ~file_signals_held() {
    if (taken_ != 0) take();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error_;
  }
  file_signals_held(const file_signals_held&) = delete;
  file_signals_held& operator=(const file_signals_held&) = delete;

  // `error`: of a write; 0: it did not fail.
  void note(int error) noexcept {
    if (error == EPIPE) taken_ = SIGPIPE;
    if (error == EFBIG) taken_ = SIGXFSZ;
  }

 private:
  // The system gives the thread's signals before those of the process. If the thread had one
  // before, ours was the same.
  void take() const noexcept {
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, taken_);
    const timespec now{};
    syscall(SYS_rt_sigtimedwait, &ours, nullptr, &now, _NSIG / 8);
    sigset_t left;
    if (sigismember(&pending_before_, taken_) == 1 && sigpending(&left) == 0 &&
        sigismember(&left, taken_) == 0) {
      syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), taken_);
    }
  }

  int error_ = errno;
  int taken_ = 0;
  sigset_t pending_before_;
  sigset_t before_;
};

}  // namespace mallard::inline v1::detail
