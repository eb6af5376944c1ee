// Purpose: writing to a file or a pipe fails without a signal, which would end the process: SIGXFSZ
// beyond RLIMIT_FSIZE, SIGPIPE where nobody reads.
#pragma once

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace mallard::inline v1::detail {

// Both go to the thread that writes. It keeps errno.
class file_signals_held {
 public:
  file_signals_held() noexcept {
    sigset_t pending;
    if (sigpending(&pending) != 0) sigfillset(&pending);
    sigemptyset(&ours_);
    sigset_t both = ours_;
    for (const int each : {SIGXFSZ, SIGPIPE}) {
      sigaddset(&both, each);
      if (sigismember(&pending, each) == 0) sigaddset(&ours_, each);
    }
    pthread_sigmask(SIG_BLOCK, &both, &before_);
  }
  ~file_signals_held() {
    const int error = errno;
    const timespec now{};
    while (syscall(SYS_rt_sigtimedwait, &ours_, nullptr, &now, _NSIG / 8) > 0) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  file_signals_held(const file_signals_held&) = delete;
  file_signals_held& operator=(const file_signals_held&) = delete;

 private:
  sigset_t ours_;  // that were not pending before
  sigset_t before_;
};

}  // namespace mallard::inline v1::detail
